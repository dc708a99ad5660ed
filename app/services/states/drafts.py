"""Drafts: at most one beside what is in force, saved, sealed into it or discarded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from app.domain.page import MAX_ITEMS
from app.domain.properties_change import amended
from app.domain.temporal import Branch, EntityState, StateEvent, WipSource
from app.domain.timeline import Assertion, assert_from, shortened, state_at
from app.domain.types import label_of
from app.errors import Conflict, Invalid
from app.services.catalog.lookup import nothing_has
from app.services.states.change import StateChange, Written, change_state, holding_at, later_than
from app.services.states.properties import checked_properties, type_of_entity
from app.services.states.write_state import Cause, carry_out
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import states

SAVED, SEALED, DISCARDED = "wip_saved", "wip_sealed", "wip_discarded"


@dataclass(frozen=True, slots=True)
class DraftChange:
    """Properties to set in a draft, where None takes one away; `expected` is the draft the caller read."""

    props: dict[str, Any]
    source: WipSource = WipSource.EXPLICIT
    expected: UUID | None = None


@dataclass(frozen=True, slots=True)
class Sealing:
    """What to change on the way from a draft to what is in force, and what to call the step.

    `expected` is the id of the state in force that the caller read.
    """

    props: dict[str, Any]
    event_type: str = SEALED
    description: str | None = None
    expected: UUID | None = None


async def save_draft(write: UnitOfWork, entity: UUID, saved: DraftChange) -> Written:
    """Lay properties over the draft of an entity, begun from what is in force when there is none.

    Raises NotFound for an unknown entity, Invalid as a change does, and Conflict when the draft is another
    than the expected one.
    """
    definition = await type_of_entity(write, entity)
    held = await states.current_states(write.connection, write.tenant, entity, Branch.COMMITTED)
    drafts = await states.current_states(write.connection, write.tenant, entity, Branch.WIP)
    props = checked_properties(definition, saved.props, held)
    write = await later_than(write, drafts)
    draft = next((each for each in drafts if each.valid.end is None), None)
    _require_expected(saved.expected, draft)
    base = draft or state_at(held, write.recorded_at) or held[0]
    assertion = Assertion(
        entity, amended(base.props, props), base.source_artifact, write.actor, Branch.WIP, saved.source
    )
    change = assert_from(drafts, assertion, write.recorded_at, write.recorded_at)
    event = await carry_out(write, replace(change, properties=tuple(sorted(props))), Cause(SAVED))
    return Written(change.new, event)


async def seal_draft(write: UnitOfWork, state: UUID, sealing: Sealing) -> Written:
    """Let what a draft says hold from now on, and close the draft.

    Only the properties that were saved in it are sealed: what others changed beside it meanwhile stays.
    Raises NotFound, Invalid for what is no draft, and Conflict when it was sealed, discarded or saved again,
    or when another state is in force than the expected one.
    """
    draft = await _open_draft(write, state)
    held = await states.current_states(write.connection, write.tenant, draft.entity, Branch.COMMITTED)
    holding_at(held, write.recorded_at, "state")
    said = {name: draft.props.get(name) for name in await _said_by(write, draft)}
    cause = Cause(sealing.event_type, description=sealing.description, draft=draft)
    change = StateChange({**said, **sealing.props}, expected=sealing.expected)
    written = await change_state(write, draft.entity, change, cause)
    write = await later_than(write, [draft])
    closed = shortened(draft, draft.props, written.state.valid.start, write.recorded_at)
    await _replace(write, draft, closed)
    return written


async def discard_draft(write: UnitOfWork, state: UUID, description: str | None = None) -> Written:
    """Close a draft and leave what is in force as it is; answers the draft as it ended.

    Raises NotFound, Invalid and Conflict as sealing does.
    """
    draft = await _open_draft(write, state)
    write = await later_than(write, [draft])
    closed = shortened(draft, draft.props, write.recorded_at, write.recorded_at)
    await _replace(write, draft, closed)
    event = StateEvent(
        id=uuid4(),
        from_state=draft.id,
        to_state=closed.id,
        event_type=DISCARDED,
        at=write.recorded_at,
        recorded_at=write.recorded_at,
        cause_artifact=None,
        cause_commit=None,
        description=description,
        props_drift=None,
        actor=write.actor,
        draft=draft.id,
    )
    await states.insert_event(write.connection, write.tenant, draft.entity, event)
    return Written(closed, event)


def _require_expected(expected: UUID | None, draft: EntityState | None) -> None:
    if expected is None or (draft is not None and draft.id == expected):
        return
    if draft is None:
        told = f"there is no draft: {expected} was sealed or discarded, or is none; leave it out to begin one"
    else:
        told = f"the draft is {draft.id} by now, not {expected}; read it again and retry"
    raise Conflict(told, field="expectedState")


async def _open_draft(write: UnitOfWork, state: UUID) -> EntityState:
    found = (await states.states_by_id(write.connection, write.tenant, [state])).get(state)
    if found is None:
        raise nothing_has("state", state, "state")
    if found.branch is not Branch.WIP:
        raise Invalid(
            f"{state} is a state in force and no draft; drafts tells the ids of drafts", field="state"
        )
    if found.retracted_at is not None or found.valid.end is not None:
        raise Conflict(
            f"the draft {state} was saved again, sealed or discarded meanwhile; drafts tells those there are",
            field="state",
        )
    return found


async def _said_by(write: UnitOfWork, draft: EntityState) -> set[str]:
    """Return the properties saved in a draft since it was begun: drafts that meet are one."""
    where = (write.connection, write.tenant, draft.entity, Branch.WIP)
    spoken = await states.asserted_properties(*where)
    said, begins = set(spoken.get(draft.valid.start, ())), draft.valid.start
    for earlier in reversed(await states.current_states(*where)):
        if earlier.valid.end == begins:
            said |= spoken.get(earlier.valid.start, frozenset())
            begins = earlier.valid.start
    return said


async def _replace(write: UnitOfWork, draft: EntityState, closed: EntityState) -> None:
    await states.retract_state(write.connection, write.tenant, draft.id, write.recorded_at)
    await states.insert_state(write.connection, write.tenant, closed)


STALE_AFTER = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Reminder:
    """Something to look after, since when, and what to do about it."""

    category: str
    message: str
    entity: UUID
    since: datetime


async def stale_drafts(
    connection: asyncpg.Connection, tenant: int, project: int | None, now: datetime
) -> list[Reminder]:
    """Return the open drafts not touched for 30 days, of one project or of all, at most 100, oldest first."""
    held = await states.drafts_untouched_since(connection, tenant, now - STALE_AFTER, project, MAX_ITEMS)
    return [_reminder(draft, now) for draft in held]


def is_stale(draft: EntityState, now: datetime) -> bool:
    """Return whether nobody has touched an open draft for 30 days."""
    return draft.recorded_at <= now - STALE_AFTER


def _reminder(draft: EntityState, now: datetime) -> Reminder:
    name = label_of(draft.props) or str(draft.entity)
    days = (now - draft.recorded_at).days
    message = f"the draft of {name} has not been touched for {days} days; seal it or discard it"
    return Reminder("stale_wip", message, draft.entity, draft.recorded_at)
