"""What it does to the state of an entity that another supersedes it, or no longer does."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias
from uuid import UUID, uuid4

from app.domain.giving_way import Heard, give_way, is_over
from app.domain.succession import Succession
from app.domain.temporal import Branch, EntityState, Interval, StateEvent
from app.domain.timeline import state_at
from app.services.filing.voices import REVIVED, SUPERSEDED, heard_of
from app.services.write import Write
from app.stores.postgres import states, successions

Hearing: TypeAlias = Callable[[Sequence[EntityState], Heard], Heard]
"""Answers what was heard of a line by what is known of it beside the ledger."""


@dataclass(frozen=True, slots=True)
class Turn:
    """An entity that something supersedes, or no longer does, from a moment on, with a document as cause."""

    entity: UUID
    since: datetime
    cause: UUID | None


async def settle_all(write: Write, turns: Iterable[Turn]) -> None:
    """Let each entity be what the rule says from its turn on. Comes last in a write, as settling does."""
    for turn in turns:
        await settle(write, turn.entity, turn.since, turn.cause)


async def settle(
    write: Write,
    entity: UUID,
    since: datetime,
    cause: UUID | None = None,
    hearing: Hearing = lambda line, heard: heard,
) -> None:
    """Let an entity be, in its states that hold at or after a moment, what the rule of giving way says.

    The cause is that of the successor's document unless one is given. Comes last in a write: what this write
    itself believed of the entity can only be given up at a later transaction time.
    """
    held = await states.believed_states(write.connection, write.tenant, entity, Branch.COMMITTED)
    heard = hearing(held, await heard_of(write, entity, held))
    around = await successions.successions_around(write.connection, write.tenant, entity)
    above = [each for each in around if each.predecessor == entity]
    touched = [state for state in held if state.valid.end is None or state.valid.end >= since]
    given = give_way(touched, [span for each in above for span in spans_of(each)], heard)
    if given == touched:
        return
    write = await write.later()
    for state in touched:
        if state not in given:
            await states.retract_state(write.connection, write.tenant, state.id, write.recorded_at)
    said = {each.at for each in heard.sayings}
    line = await _recorded(write, given, touched)
    for before, state in zip([None, *line], line, strict=False):
        if state not in touched and _moves(state, before, touched, said):
            by = cause or (await _superseder_at(write, above, state) if is_over(state) else None)
            await _note(write, state, before, by)


def _moves(
    state: EntityState, before: EntityState | None, held: Sequence[EntityState], said: Container[datetime]
) -> bool:
    """Tell whether a state begins with a step of its own: to a status that its start did not have."""
    start = state.valid.start
    was = next((each for each in held if each.valid.start == start), None)
    if was is not None and was.props.get("status") == state.props.get("status"):
        return False
    if before is None:  # it began by being created, whatever it is called now
        return is_over(state)
    follows = before.props.get("status") != state.props.get("status")
    return follows or (start in said and is_over(state))


def spans_of(succession: Succession) -> list[Interval]:
    """Answer over which stretch a succession makes its predecessor give way, if over any."""
    start = succession.effective_from
    return [] if start is None else [Interval(start, succession.valid.end)]


async def _recorded(
    write: Write, given: Sequence[EntityState], held: Sequence[EntityState]
) -> list[EntityState]:
    """Record the states of a line that are not held yet, and answer the line."""
    line = []
    for state in given:
        if state not in held:
            state = replace(state, id=uuid4(), recorded_at=write.recorded_at, actor=write.actor)
            await states.insert_state(write.connection, write.tenant, state)
        line.append(state)
    return line


async def _note(write: Write, state: EntityState, before: EntityState | None, cause: UUID | None) -> None:
    event = StateEvent(
        id=uuid4(),
        from_state=None if before is None else before.id,
        to_state=state.id,
        event_type=SUPERSEDED if is_over(state) else REVIVED,
        at=state.valid.start,
        recorded_at=write.recorded_at,
        cause_artifact=cause,
        cause_commit=None,
        description=None,
        props_drift=None,
        actor=write.actor,
    )
    await states.insert_event(write.connection, write.tenant, state.entity, event)


async def _superseder_at(write: Write, above: Sequence[Succession], state: EntityState) -> UUID | None:
    """Answer the document by which something came last to supersede a state; None where nothing does."""
    spans = [(span.start, each.successor) for each in above for span in spans_of(each)]
    start, successor = max(
        ((start, successor) for start, successor in spans if start <= state.valid.start),
        default=(state.valid.start, None),
    )
    return None if successor is None else await document_at(write, successor, start)


async def document_at(write: Write, entity: UUID, at: datetime) -> UUID | None:
    """Answer the document that the state of an entity at a moment was read from."""
    held = await states.believed_states(write.connection, write.tenant, entity, Branch.COMMITTED)
    state = state_at(held, at)
    return None if state is None else state.source_artifact
