"""How a history fits among what is believed of a document already. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from app.domain.temporal import Branch, EntityState, Interval
from app.services.importing.history.spans import without
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
class _Piece:
    """A stretch of time with the properties that held in it, and the change that began it, if it is new."""

    valid: Interval
    props: dict[str, Any]
    told: HistoricState | None


def retell(
    teller: Teller,
    held: Sequence[EntityState],
    kept: frozenset[UUID],
    known: HistoricState | None,
    new: Sequence[HistoricState],
    spoken: frozenset[str],
) -> Retold:
    """Tell what a history says beyond the last change that is `known` of it, or all of it.

    It takes the place of what documents said from there on up to its last change. What begins later stays,
    and so do the states in `kept`. Where a document is older than its history, its first state reaches
    back to then.
    """
    since = None if known is None else _covering(held, known.at)
    stay = [state for state in held if state.id in kept or not _is_retold(state, since, new[-1].at)]
    gone = [state for state in held if state not in stay]
    base = gone[-1].props if gone else held[-1].props
    first = new[0].at if since is not None else min(new[0].at, held[0].valid.start)
    pieces = _pieces(new, first, base, spoken)
    if since is not None and since.valid.start < first:
        pieces.insert(0, _Piece(Interval(since.valid.start, first), since.props, None))
    recorded = list(stay)
    begun: dict[UUID, HistoricState] = {}
    for piece in pieces:
        rest = without(piece.valid, [state.valid for state in stay])
        states = [teller.state(valid, piece.props) for valid in rest]
        recorded += states
        begun |= {state.id: piece.told for state in states[:1] if piece.told is not None}
    recorded.sort(key=lambda state: state.valid.start)
    return Retold(
        retracted=tuple(state.id for state in gone),
        recorded=tuple(state for state in recorded if state not in stay),
        steps=tuple(_steps(recorded, begun)),
    )


def _covering(held: Sequence[EntityState], moment: datetime) -> EntityState:
    return next((state for state in held if state.valid.covers(moment)), held[0])


def _is_retold(state: EntityState, since: EntityState | None, last: datetime) -> bool:
    begins = state.valid.start
    return begins <= last and (since is None or since.valid.start <= begins)


def _pieces(
    told: Sequence[HistoricState], first: datetime, base: dict[str, Any], spoken: frozenset[str]
) -> list[_Piece]:
    starts = [first, *(change.at for change in told[1:])]
    return [
        _Piece(Interval(start, end), props_told(base, spoken, change), change)
        for start, end, change in zip(starts, [*starts[1:], None], told, strict=True)
    ]


def _steps(line: Sequence[EntityState], begun: dict[UUID, HistoricState]) -> list[Step]:
    return [
        Step(begun[state.id], before, state)
        for before, state in zip([None, *line[:-1]], line, strict=True)
        if state.id in begun
    ]
