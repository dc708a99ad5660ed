"""What it does to a document's state that another document supersedes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from app.domain.amendment import Amendment, Spoken, amend_from
from app.domain.recall import StateFlag
from app.domain.standing import SUPERSEDED, standing, was_in_force
from app.domain.temporal import AsOf, Branch, EntityState
from app.domain.timeline import Assertion, divide, state_at
from app.services.timelines import Cause, carry_out
from app.services.write import Write
from app.stores.postgres import ledger, states, successions


@dataclass(frozen=True, slots=True)
class Supersession:
    """An entity that is superseded from a moment on, with a document as cause."""

    entity: UUID
    at: datetime
    cause: UUID | None


async def supersede(write: Write, supersession: Supersession) -> None:
    """Let an entity's state be superseded from a moment on.

    A document that calls itself superseded was written after the fact: what it was called before
    that moment is not known, so the earlier state then says no status at all; one that was rejected says so
    all along. An entity that something else superseded before stays as it is. Comes last in a write: what
    this write itself believed of the entity can only be given up at a later transaction time.
    """
    entity, at = supersession.entity, supersession.at
    if await _gave_way_before(write, entity, at):
        return
    write = replace(write, recorded_at=await ledger.advance_clock(write.connection, write.tenant))
    timeline = await states.believed_states(write.connection, write.tenant, entity, Branch.COMMITTED)
    state = state_at(timeline, at) or timeline[0]
    cause = Cause("superseded", artifact=supersession.cause)
    if not _is_historical(state.props):
        await _amend(write, timeline, SUPERSEDED, max(at, state.valid.start), cause, {})
    elif at > state.valid.start and was_in_force(state.props["status"]):
        after = Assertion(entity, state.props, state.source_artifact, write.actor)
        change = divide(state, at, _without_status(state.props), after, write.recorded_at)
        await carry_out(write, change, cause)


async def _gave_way_before(write: Write, entity: UUID, at: datetime) -> bool:
    around = await successions.successions_around(write.connection, write.tenant, entity)
    starts = (each.effective_from for each in around if each.predecessor == entity and each.holds_at(at))
    return any(start is not None and start < at for start in starts)


async def _amend(
    write: Write,
    timeline: Sequence[EntityState],
    status: str | None,
    at: datetime,
    cause: Cause,
    stops: Spoken,
) -> None:
    """Let the status of a timeline be another, or none, up to a stop or where a later state says another."""
    amendment = Amendment(timeline[0].entity, {"status": status}, {}, write.actor)
    await carry_out(write, amend_from(timeline, stops, amendment, at, write.recorded_at), cause)


async def uphold(write: Write, entity: UUID, at: datetime) -> None:
    """Let a version that says nothing of it be superseded too, while something in force says it is.

    Comes last in a write, as superseding does.
    """
    moment = AsOf(at, await ledger.read_clock(write.connection, write.tenant))
    if not await successions.superseders_as_of(write.connection, write.tenant, [entity], moment):
        return
    timeline = await states.believed_states(write.connection, write.tenant, entity, Branch.COMMITTED)
    state = next((held for held in timeline if held.valid.covers(at)), None)
    if state is None or _is_historical(state.props):
        return
    write = replace(write, recorded_at=await ledger.advance_clock(write.connection, write.tenant))
    props = {**state.props, "status": SUPERSEDED}
    after = Assertion(entity, props, state.source_artifact, write.actor)
    change = divide(state, state.valid.start, state.props, after, write.recorded_at)
    await carry_out(write, change, Cause("superseded", artifact=state.source_artifact))


@dataclass(frozen=True, slots=True)
class Revival:
    """An entity that was superseded from `since` on and, from `at` on, no longer is."""

    entity: UUID
    since: datetime
    at: datetime
    cause: UUID | None


async def revive(write: Write, revival: Revival) -> None:
    """Let an entity be again what it was before it was superseded, until something else supersedes it.

    A document that calls itself superseded stays so. Comes last in a write, as superseding does.
    """
    write = replace(write, recorded_at=await ledger.advance_clock(write.connection, write.tenant))
    moment = AsOf(revival.at, write.recorded_at)
    if await successions.superseders_as_of(write.connection, write.tenant, [revival.entity], moment):
        return
    timeline = await states.believed_states(write.connection, write.tenant, revival.entity, Branch.COMMITTED)
    state = state_at(timeline, revival.at)
    if state is None or not _is_historical(state.props):
        return
    before = _before(timeline, revival.since)
    if "status" not in before:
        before = await states.first_props_from(
            write.connection, write.tenant, revival.entity, state.source_artifact
        )
    if _is_historical(before):
        return
    later = await _gives_way_later(write, revival.entity, revival.at)
    cause = Cause("status_transition", artifact=revival.cause)
    stops = {each.at: frozenset({"status"}) for each in later}
    await _amend(write, timeline, before.get("status"), revival.at, cause, stops)
    for supersession in later[:1]:
        await supersede(write, supersession)


def _before(timeline: Sequence[EntityState], since: datetime) -> dict[str, Any]:
    """Answer what an entity last was, by a moment, that no supersession made of it."""
    ended = (
        state for state in reversed(timeline) if state.valid.end is not None and state.valid.end <= since
    )
    return next((state.props for state in ended if state.props.get("status") != SUPERSEDED), {})


async def _gives_way_later(write: Write, entity: UUID, at: datetime) -> list[Supersession]:
    """Answer what is said to supersede an entity only after a moment, the first first."""
    found = []
    for each in await successions.successions_around(write.connection, write.tenant, entity):
        start = each.effective_from
        if each.predecessor == entity and start is not None and start > at:
            cause = await document_at(write, each.successor, start)
            found.append(Supersession(entity, start, cause))
    return sorted(found, key=lambda each: each.at)


async def document_at(write: Write, entity: UUID, at: datetime) -> UUID | None:
    """Answer the document that the state of an entity at a moment was read from."""
    held = await states.believed_states(write.connection, write.tenant, entity, Branch.COMMITTED)
    state = state_at(held, at)
    return None if state is None else state.source_artifact


def _is_historical(props: dict[str, Any]) -> bool:
    status = props.get("status")
    return isinstance(status, str) and standing(status) is StateFlag.HISTORICAL


def _without_status(props: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in props.items() if name != "status"}
