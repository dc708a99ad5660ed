"""Recompute the status of entities when another entity supersedes them, or no longer does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias
from uuid import UUID, uuid4

from app.domain.entity import Reference
from app.domain.status_resolution import StatusHistory, is_over, resolve_status
from app.domain.supersession import Succession, dated_statuses
from app.domain.temporal import Branch, EntityState, Interval, StateEvent
from app.domain.timeline import differing, state_at
from app.services.references.status_sources import REVIVED, SUPERSEDED, load_status_history
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import states, supersessions
from app.stores.postgres.status_words import words_of_entity
from app.stores.postgres.supersessions import successions_around

HistoryRule: TypeAlias = Callable[[Sequence[EntityState], StatusHistory], StatusHistory]
"""Adjusts the status history of an entity's states by what is known of it outside the ledger."""


@dataclass(frozen=True, slots=True)
class SupersessionChange:
    """An entity that something supersedes, or no longer does, from a moment on, with a document as cause."""

    entity: UUID
    since: datetime
    cause: UUID | None


async def recompute_statuses(write: UnitOfWork, changes: Iterable[SupersessionChange]) -> None:
    """Recompute the status of each entity from its change on. Must come last in a write."""
    for change in changes:
        await recompute_status(write, change.entity, change.since, change.cause)


async def recompute_status(
    write: UnitOfWork,
    entity: UUID,
    since: datetime,
    cause: UUID | None = None,
    history_rule: HistoryRule = lambda line, history: history,
) -> None:
    """Recompute the status of an entity's states that hold at or after a moment, by the supersession rule.

    The cause is the successor's document unless one is given. Must come last in a write: a state that this
    write itself recorded can only be retracted at a later transaction time.
    """
    held = await states.current_states(await write.flush(), write.tenant, entity, Branch.COMMITTED)
    history = history_rule(held, await load_status_history(write, entity, held))
    history = replace(history, team=await words_of_entity(await write.flush(), write.tenant, entity))
    around = await supersessions.successions_around(await write.flush(), write.tenant, entity)
    above = [each for each in around if each.predecessor == entity]
    touched = [state for state in held if state.valid.end is None or state.valid.end >= since]
    given = resolve_status(touched, [span for each in above for span in spans_of(each)], history)
    if given == touched:
        return
    write = await write.next_transaction_time()
    for state in touched:
        if state not in given:
            await states.retract_state(await write.flush(), write.tenant, state.id, write.recorded_at)
    asserted = {each.at for each in history.assertions}
    line = await _record(write, given, touched)
    for before, state in zip([None, *line], line, strict=False):
        is_past = is_over(state, history.team)
        if state not in touched and _moves(state, before, touched, asserted, is_past=is_past):
            by = cause or (await _superseder_at(write, above, state) if is_past else None)
            await _note(write, state, before, by, is_past=is_past)


def _moves(
    state: EntityState,
    before: EntityState | None,
    held: Sequence[EntityState],
    asserted: Container[datetime],
    *,
    is_past: bool,
) -> bool:
    """Return whether a state needs an event of its own: its status is not the one its start had before."""
    start = state.valid.start
    was = next((each for each in held if each.valid.start == start), None)
    if was is not None and was.props.get("status") == state.props.get("status"):
        return False
    if before is None:  # it began by being created, whatever it is called now
        return is_past
    follows = before.props.get("status") != state.props.get("status")
    return follows or (start in asserted and is_past)


def spans_of(succession: Succession) -> list[Interval]:
    """Return the interval over which a succession supersedes its predecessor, if there is one."""
    start = succession.effective_from
    return [] if start is None else [Interval(start, succession.valid.end)]


async def _record(
    write: UnitOfWork, given: Sequence[EntityState], held: Sequence[EntityState]
) -> list[EntityState]:
    """Record the given states that are not held yet, and return all of them in order."""
    line = []
    for state in given:
        if state not in held:
            state = replace(state, id=uuid4(), recorded_at=write.recorded_at, actor=write.actor)
            await states.insert_state(write.rows, write.tenant, state)
        line.append(state)
    return line


async def _note(
    write: UnitOfWork, state: EntityState, before: EntityState | None, cause: UUID | None, *, is_past: bool
) -> None:
    event = StateEvent(
        id=uuid4(),
        from_state=None if before is None else before.id,
        to_state=state.id,
        event_type=SUPERSEDED if is_past else REVIVED,
        at=state.valid.start,
        recorded_at=write.recorded_at,
        cause_artifact=cause,
        cause_commit=None,
        description=None,
        props_drift=None,
        actor=write.actor,
    )
    await states.insert_event(write.rows, write.tenant, state.entity, event)


async def _superseder_at(write: UnitOfWork, above: Sequence[Succession], state: EntityState) -> UUID | None:
    """Return the document of the last successor before a state starts; None if nothing supersedes it."""
    spans = [(each.order_at(span.start), each) for each in above for span in spans_of(each)]
    before = [(order, each) for order, each in spans if order[0] <= state.valid.start]
    if not before:
        return None
    (start, *_), last = max(before, key=lambda each: each[0])
    return await document_at(write, last.successor, start)


async def document_at(write: UnitOfWork, entity: UUID, at: datetime) -> UUID | None:
    """Return the document that the state of an entity at a moment was read from."""
    held = await states.current_states(await write.flush(), write.tenant, entity, Branch.COMMITTED)
    state = state_at(held, at)
    return None if state is None else state.source_artifact


SupersededSpans: TypeAlias = Mapping[UUID, frozenset[Interval]]
"""The intervals over which an entity supersedes others, by the superseded entity."""


async def effective_from(write: UnitOfWork, reference: Reference) -> datetime | None:
    """Return the moment from which a supersession changes its target's status; None if it never does."""
    around = await successions_around(await write.flush(), write.tenant, reference.target)
    return next((found.effective_from for found in around if _is(found, reference)), None)


def _is(succession: Succession, reference: Reference) -> bool:
    return (
        succession.successor == reference.source
        and succession.predecessor == reference.target
        and succession.valid == reference.valid
    )


async def propagate_supersession(write: UnitOfWork, entity: UUID, before: Sequence[EntityState]) -> None:
    """Recompute the status of an entity and of what it supersedes after its timeline changed.

    `before` holds the states believed until now. Must come last in a write.
    """
    now = await states.current_states(await write.flush(), write.tenant, entity, Branch.COMMITTED)
    since = _first_difference(before, now)
    if since is None:
        return
    await recompute_status(write, entity, since)
    statuses = dated_statuses(before)
    around = await successions_around(await write.flush(), write.tenant, entity)
    await recompute_superseded(
        write, entity, superseded_spans(entity, (replace(each, statuses=statuses) for each in around))
    )


def _first_difference(before: Sequence[EntityState], now: Sequence[EntityState]) -> datetime | None:
    """Return the first moment at which two timelines say different things."""
    for start in sorted({state.valid.start for state in (*before, *now)}):
        one, other = state_at(before, start), state_at(now, start)
        if one is None or other is None or differing(one.props, other.props):
            return start
    return None


def superseded_spans(entity: UUID, successions: Iterable[Succession]) -> SupersededSpans:
    """Return which entities an entity supersedes, and over which intervals."""
    found: dict[UUID, set[Interval]] = defaultdict(set)
    for each in successions:
        if each.successor == entity:
            found[each.predecessor].update(spans_of(each))
    return {predecessor: frozenset(spans) for predecessor, spans in found.items()}


async def recompute_superseded(
    write: UnitOfWork,
    entity: UUID,
    was: SupersededSpans,
    history_rules: Mapping[UUID, HistoryRule] | None = None,
) -> None:
    """Recompute the status of what an entity supersedes, wherever the superseded intervals changed.

    `was` is what `superseded_spans` returned before; `history_rules` adjust the status history of some of the
    superseded entities. Must come last in a write.
    """
    now = superseded_spans(entity, await successions_around(await write.flush(), write.tenant, entity))
    for predecessor in sorted({*was, *now}):
        changed = was.get(predecessor, frozenset()) ^ now.get(predecessor, frozenset())
        if not changed:
            continue
        since = min(span.start for span in changed)
        history_rule = (history_rules or {}).get(predecessor)
        if history_rule is None:
            await recompute_status(write, predecessor, since)
        else:
            await recompute_status(write, predecessor, since, history_rule=history_rule)
