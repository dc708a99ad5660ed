"""How a history fits among what is believed of a document already. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from app.domain.properties_change import amended
from app.domain.temporal import Branch, EntityState, Interval
from app.domain.timeline import differ
from app.services.importing.history.model import HistoricState

EMPTY: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Step:
    """The state that a change recorded, the one before it, None for the first, and what it speaks of."""

    told: HistoricState
    before: EntityState | None
    state: EntityState
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Retold:
    """What to stop believing and what to believe instead, with each step in order."""

    retracted: tuple[UUID, ...]
    recorded: tuple[EntityState, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class HistoryWriter:
    """What every state of a telling shares: who it is of, when it is recorded, and its artifacts by time."""

    entity: UUID
    recorded_at: datetime
    actor: str
    artifact_at: Callable[[datetime], UUID]

    def state(self, valid: Interval, props: dict[str, Any]) -> EntityState:
        """Return a state that holds so long."""
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


@dataclass(frozen=True, slots=True)
class StateLine:
    """What is believed of a document, also as it were if nothing superseded it, and what callers said of it.

    What callers said stands by the moment from which on they did; what they took away is None.
    """

    held: Sequence[EntityState]
    bare: Sequence[EntityState]
    said: Mapping[datetime, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class HistoryChanges:
    """What a history says and the properties it speaks of.

    `since` is what its texts said last before it, for a history that goes on from what is held.
    """

    told: Sequence[HistoricState]
    spoken: frozenset[str]
    since: Mapping[str, Any] | None = None


def merge_history(teller: HistoryWriter, line: StateLine, news: HistoryChanges) -> Retold:
    """Tell what a history says anew: each change says what it changed, and all else holds on.

    It takes the place of what documents said up to its last change, but of nothing that callers said. What
    begins later stays. Where a document is older than its history, its first state reaches back to then.
    """
    first, last = news.told[0].at, news.told[-1].at
    kept = [state for state in line.held if news.since is not None and state.valid.start < first]
    later = [state for state in line.held if state.valid.start > last]
    changes = {change.at: change for change in news.told}
    if not kept and line.held[0].valid.start < first:
        changes = {line.held[0].valid.start: changes.pop(first), **changes}
    gone = {state.valid.start for state in line.held if state not in kept and state not in later}
    said = {at: props for at, props in line.said.items() if at in gone}
    told = list(_fold(_base(line, last, len(kept), news.spoken), changes, said, news))
    ends = [*(start for start, _, _ in told[1:]), later[0].valid.start if later else None]
    states = [
        _held_or(line.held, teller.state(Interval(start, end), props))
        for (start, props, _), end in zip(told, ends, strict=True)
    ]
    whole = [*_up_to(kept, states), *states, *later]
    names = {start: spoken for start, _, spoken in told}
    return Retold(
        retracted=tuple(state.id for state in line.held if state not in whole),
        recorded=tuple(state for state in whole if state not in line.held),
        steps=tuple(
            Step(changes[at], before, state, names[at])
            for before, state in zip([None, *whole[:-1]], whole, strict=True)
            if (at := state.valid.start) in names and at in changes
        ),
    )


def _base(line: StateLine, last: datetime, kept: int, spoken: frozenset[str]) -> dict[str, Any]:
    """Return what the present text says, but for what a history or callers speak of: that as it was first."""
    told = [state for state in line.bare[kept:] if state.valid.start <= last]
    newest = (told or line.bare)[-1]
    before = line.bare[kept - 1] if kept else (told or line.bare)[0]
    names = {name for props in line.said.values() for name in props} | (spoken if kept else frozenset())
    rest = {name: value for name, value in newest.props.items() if name not in names}
    return rest | {name: value for name, value in before.props.items() if name in names}


def _fold(
    base: dict[str, Any],
    changes: Mapping[datetime, HistoricState],
    said: Mapping[datetime, Mapping[str, Any]],
    news: HistoryChanges,
) -> Iterator[tuple[datetime, dict[str, Any], frozenset[str]]]:
    """Yield the properties from each moment on at which a history or a caller speaks, in order.

    With each come the names of those that the history changed then. One that goes on from what is held says
    nothing where it begins, unless it changes something there.
    """
    props, former = base, news.since
    for start in sorted({*changes, *said}):
        names = frozenset[str]()
        if start in changes:
            told = _stated(changes[start], news.spoken)
            names = _changed(former, told, news.spoken)
            props = amended(props, {name: told.get(name) for name in names})
            former = told
        if names or start in said or (start in changes and start != news.told[0].at):
            yield start, (props := amended(props, said.get(start, {}))), names


def _changed(
    former: Mapping[str, Any] | None, told: Mapping[str, Any], spoken: frozenset[str]
) -> frozenset[str]:
    """Return the names under which a history says something else than before; at first it says them all."""
    if former is None:
        return spoken
    return frozenset(name for name in spoken if differ(former.get(name), told.get(name)))


def _stated(change: HistoricState, spoken: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in change.props.items() if name in spoken and value not in EMPTY}


def _held_or(held: Sequence[EntityState], told: EntityState) -> EntityState:
    """Return the state that is held already, where it says the same."""
    same = (replace(told, id=state.id, recorded_at=state.recorded_at, actor=state.actor) for state in held)
    return next((each for each, state in zip(same, held, strict=True) if each == state), told)


def _up_to(kept: Sequence[EntityState], states: Sequence[EntityState]) -> list[EntityState]:
    """Return states that last until others begin."""
    if not kept or not states or kept[-1].valid.end == states[0].valid.start:
        return list(kept)
    valid = Interval(kept[-1].valid.start, states[0].valid.start)
    return [*kept[:-1], replace(kept[-1], id=uuid4(), valid=valid)]
