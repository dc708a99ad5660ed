"""Merging an imported history into the current states of a document. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from app.domain.properties_change import with_changes
from app.domain.temporal import Branch, EntityState, Interval
from app.domain.timeline import differ
from app.services.importing.history.model import HistoricState

EMPTY: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Step:
    """A change of a history, the state before it (None at first), its own state, and the changed names."""

    change: HistoricState
    before: EntityState | None
    state: EntityState
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class MergedHistory:
    """The states to retract, the states to record instead, and each step in order."""

    retracted: tuple[UUID, ...]
    recorded: tuple[EntityState, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class HistoryWriter:
    """What all new states share: entity, time of recording, actor, and the artifact for each moment."""

    entity: UUID
    recorded_at: datetime
    actor: str
    artifact_at: Callable[[datetime], UUID]

    def state(self, valid: Interval, props: dict[str, Any]) -> EntityState:
        """Return a state with these properties that is valid over an interval."""
        return EntityState(
            id=uuid4(),
            entity=self.entity,
            branch=Branch.COMMITTED,
            valid=valid,
            recorded_at=self.recorded_at,
            retracted_at=None,
            props=props,
            source_artifact=self.artifact_at(valid.start),
            actor=self.actor,
        )

    def again(self, state: EntityState, valid: Interval) -> EntityState:
        """Return a state that is held already, recorded now over another interval."""
        return replace(state, id=uuid4(), valid=valid, recorded_at=self.recorded_at, actor=self.actor)


@dataclass(frozen=True, slots=True)
class StateLine:
    """The current states of a document, the same states without supersession, and what callers asserted.

    The assertions of callers are keyed by the moment from which they hold; a removed property is None. In
    `stated` are the names of the properties that documents, histories and callers speak of, by moment.
    """

    held: Sequence[EntityState]
    without_supersession: Sequence[EntityState]
    asserted: Mapping[datetime, Mapping[str, Any]]
    stated: Mapping[datetime, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HistoryChanges:
    """The states of a history and the properties it covers.

    `since` holds the last properties before the history, for one that continues the recorded states. `strays`
    are the starts of states that the history does not have, and that end with it.
    """

    states: Sequence[HistoricState]
    properties: frozenset[str]
    since: Mapping[str, Any] | None = None
    strays: Collection[datetime] = ()


def merge_history(writer: HistoryWriter, line: StateLine, history: HistoryChanges) -> MergedHistory:
    """Merge a history into the states of a document: a change sets what it changed, the rest continues.

    The history replaces what documents stated up to its last change, but nothing that callers asserted.
    States that begin later stay, with the properties of the history that nobody changed since. Where a
    document is older than its history, the first state reaches back to the beginning of the document.
    """
    first, last = history.states[0].at, history.states[-1].at
    kept = [state for state in line.held if history.since is not None and state.valid.start < first]
    later = _tiled(writer, [state for state in line.held if state.valid.start > last], history.strays)
    changes = {change.at: change for change in history.states}
    if not kept and line.held[0].valid.start < first:
        changes = {line.held[0].valid.start: changes.pop(first), **changes}
    staying = {state.valid.start for state in (*kept, *later)}
    gone = {state.valid.start for state in line.held} - staying
    asserted = {at: props for at, props in line.asserted.items() if at in gone}
    folded = list(_fold(_base(line, last, len(kept), history.properties), changes, asserted, history))
    ends = [*(start for start, _, _ in folded[1:]), later[0].valid.start if later else None]
    states = [
        _reuse_held(line.held, writer.state(Interval(start, end), props))
        for (start, props, _), end in zip(folded, ends, strict=True)
    ]
    following = [_with_history(writer, line, history, folded[-1][1], last, state) for state in later]
    whole = [*_end_at(writer, kept, states), *states, *following]
    names = {start: changed for start, _, changed in folded}
    return MergedHistory(
        retracted=tuple(state.id for state in line.held if state not in whole),
        recorded=tuple(state for state in whole if state not in line.held),
        steps=tuple(
            Step(changes[at], before, state, names[at])
            for before, state in zip([None, *whole[:-1]], whole, strict=True)
            if (at := state.valid.start) in names and at in changes
        ),
    )


def _tiled(
    writer: HistoryWriter, states: Sequence[EntityState], without: Collection[datetime]
) -> list[EntityState]:
    """Return states without those that begin at some moments; the one before each lasts longer instead."""
    left = [state for state in states if state.valid.start not in without]
    ends = [*(state.valid.start for state in left[1:]), None][: len(left)]
    return [
        state if state.valid.end == end else writer.again(state, Interval(state.valid.start, end))
        for state, end in zip(left, ends, strict=True)
    ]


def _with_history(
    writer: HistoryWriter,
    line: StateLine,
    history: HistoryChanges,
    latest: Mapping[str, Any],
    last: datetime,
    state: EntityState,
) -> EntityState:
    """Return a state that begins after a history with what that says of properties not stated since."""
    since = (names for at, names in line.stated.items() if last < at <= state.valid.start)
    names = (history.properties - {"status"}).difference(*since)
    props = with_changes(state.props, {name: latest.get(name) for name in names})
    if not differ(props, state.props):
        return state
    return replace(writer.again(state, state.valid), props=props)


def _base(line: StateLine, last: datetime, kept: int, properties: frozenset[str]) -> dict[str, Any]:
    """Return the base properties for the fold.

    They come from the present text; those that a history or callers cover come from the earliest state."""
    replaced = [state for state in line.without_supersession[kept:] if state.valid.start <= last]
    newest = (replaced or line.without_supersession)[-1]
    before = line.without_supersession[kept - 1] if kept else (replaced or line.without_supersession)[0]
    names = {name for props in line.asserted.values() for name in props} | (
        properties if kept else frozenset()
    )
    rest = {name: value for name, value in newest.props.items() if name not in names}
    return rest | {name: value for name, value in before.props.items() if name in names}


def _fold(
    base: dict[str, Any],
    changes: Mapping[datetime, HistoricState],
    asserted: Mapping[datetime, Mapping[str, Any]],
    history: HistoryChanges,
) -> Iterator[tuple[datetime, dict[str, Any], frozenset[str]]]:
    """Yield the properties from each moment on at which a history or a caller changes them, in order.

    Each comes with the names that the history changed then. A history that continues the recorded states
    yields nothing at its beginning, unless it changes something there.
    """
    props, former = base, history.since
    for start in sorted({*changes, *asserted}):
        names = frozenset[str]()
        if start in changes:
            stated = _stated_props(changes[start], history.properties)
            names = _changed_names(former, stated, history.properties)
            props = with_changes(props, {name: stated.get(name) for name in names})
            former = stated
        if names or start in asserted or (start in changes and start != history.states[0].at):
            yield start, (props := with_changes(props, asserted.get(start, {}))), names


def _changed_names(
    former: Mapping[str, Any] | None, stated: Mapping[str, Any], properties: frozenset[str]
) -> frozenset[str]:
    """Return the names whose values differ from the former ones; without former values, all of them."""
    if former is None:
        return properties
    return frozenset(name for name in properties if differ(former.get(name), stated.get(name)))


def _stated_props(change: HistoricState, properties: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in change.props.items() if name in properties and value not in EMPTY}


def _reuse_held(held: Sequence[EntityState], wanted: EntityState) -> EntityState:
    """Return the held state that equals a wanted one, or else the wanted one."""
    same = (replace(wanted, id=state.id, recorded_at=state.recorded_at, actor=state.actor) for state in held)
    return next((each for each, state in zip(same, held, strict=True) if each == state), wanted)


def _end_at(
    writer: HistoryWriter, kept: Sequence[EntityState], states: Sequence[EntityState]
) -> list[EntityState]:
    """Return the kept states, the last of them cut where the other states begin."""
    if not kept or not states or kept[-1].valid.end == states[0].valid.start:
        return list(kept)
    valid = Interval(kept[-1].valid.start, states[0].valid.start)
    return [*kept[:-1], writer.again(kept[-1], valid)]
