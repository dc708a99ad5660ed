"""How a history fits among what is believed of a document already. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from app.domain.temporal import Branch, EntityState, Interval
from app.services.importing.history.telling import HistoricState

EMPTY: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Step:
    """The state that a change recorded, and the one right before it; None for the first."""

    told: HistoricState
    before: EntityState | None
    state: EntityState


@dataclass(frozen=True, slots=True)
class Retold:
    """What to stop believing and what to believe instead, with each step in order."""

    retracted: tuple[UUID, ...]
    recorded: tuple[EntityState, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Teller:
    """What every state of a telling shares: who it is of, when it is recorded, and its artifacts by time."""

    entity: UUID
    recorded_at: datetime
    actor: str
    artifact_at: Callable[[datetime], UUID]

    def state(self, valid: Interval, props: dict[str, Any]) -> EntityState:
        """Answer a state that holds so long."""
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


def props_told(base: dict[str, Any], spoken: frozenset[str], told: HistoricState) -> dict[str, Any]:
    """Answer a document's properties with those a history speaks of as they were then."""
    props = {name: value for name, value in base.items() if name not in spoken}
    return props | {
        name: value for name, value in told.props.items() if name in spoken and value not in EMPTY
    }


@dataclass(frozen=True, slots=True)
class Line:
    """What is believed of a document, and which properties callers spoke of from when on."""

    held: Sequence[EntityState]
    said: Mapping[datetime, frozenset[str]]


@dataclass(frozen=True, slots=True)
class News:
    """What a history says beyond its last change that is `known`, and the properties it speaks of."""

    known: HistoricState | None
    told: Sequence[HistoricState]
    spoken: frozenset[str]


def retell(teller: Teller, line: Line, news: News) -> Retold:
    """Tell what a history says anew.

    It takes the place of what documents said from its last known change on up to its last change. What
    begins later stays, and what callers said meanwhile holds on. Where a document is older than its
    history, its first state reaches back to then.
    """
    since = None if news.known is None else _covering(line.held, news.known.at)
    gone = [state for state in line.held if _is_retold(state, since, news.told[-1].at)]
    stay = [state for state in line.held if state not in gone]
    changes = {change.at: change for change in news.told}
    if since is None and line.held[0].valid.start < news.told[0].at:
        changes = {line.held[0].valid.start: changes.pop(news.told[0].at), **changes}
    said = {state.valid.start: state for state in gone if state.valid.start in line.said}
    base = gone[0 if said else -1].props if gone else line.held[-1].props
    told = dict(_fold(since, base, changes, said, line.said, news.spoken))
    later = [state.valid.start for state in stay if state.valid.start > news.told[-1].at]
    states = [
        teller.state(Interval(start, end), told[start])
        for start, end in zip(told, [*list(told)[1:], min(later, default=None)], strict=True)
    ]
    begun = {state.id: changes[state.valid.start] for state in states if state.valid.start in changes}
    return Retold(
        retracted=tuple(state.id for state in gone),
        recorded=tuple(states),
        steps=tuple(_steps(sorted([*stay, *states], key=lambda state: state.valid.start), begun)),
    )


def _covering(held: Sequence[EntityState], moment: datetime) -> EntityState:
    return next((state for state in held if state.valid.covers(moment)), held[0])


def _is_retold(state: EntityState, since: EntityState | None, last: datetime) -> bool:
    begins = state.valid.start
    return begins <= last and (since is None or since.valid.start <= begins)


def _fold(
    since: EntityState | None,
    base: dict[str, Any],
    changes: Mapping[datetime, HistoricState],
    said: Mapping[datetime, EntityState],
    names: Mapping[datetime, frozenset[str]],
    spoken: frozenset[str],
) -> Iterator[tuple[datetime, dict[str, Any]]]:
    """Answer the properties from each moment on at which a history or a caller speaks, in order."""
    props = base
    if since is not None:
        props = since.props
        yield since.valid.start, props
    for start in sorted({*changes, *said} - ({since.valid.start} if since is not None else set())):
        if start in changes:
            props = props_told(props, spoken, changes[start])
        if start in said:
            props = _overlaid(props, said[start].props, names[start])
        yield start, props


def _overlaid(props: dict[str, Any], over: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """Answer properties with these ones as another state has them, or has them not."""
    rest = {name: value for name, value in props.items() if name not in names}
    return rest | {name: value for name, value in over.items() if name in names}


def _steps(line: Sequence[EntityState], begun: dict[UUID, HistoricState]) -> list[Step]:
    return [
        Step(begun[state.id], before, state)
        for before, state in zip([None, *line[:-1]], line, strict=True)
        if state.id in begun
    ]
