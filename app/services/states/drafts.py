"""Drafts, at most one per entity: save, seal into the committed state, discard, and find stale ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.page import MAX_ITEMS
from app.domain.properties_change import with_changes
from app.domain.temporal import Branch, EntityState, StateEvent, WipSource
from app.domain.timeline import Assertion, assert_from, shorten, state_at
from app.domain.types import label_of
from app.errors import Conflict, Invalid
from app.services.catalog.lookup import nothing_has
from app.services.states.change import (
    DISCARDED,
    SAVED,
    SEALED,
    Cause,
    StateChange,
    Written,
    at_later_time,
    carry_out,
    change_state,
    holding_at,
)
from app.services.states.properties import check_properties, type_of_entity
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import states


@dataclass(frozen=True, slots=True)
class DraftChange:
    """Properties to set in a draft, None removes one; `expected` is the draft that the caller read."""

    props: dict[str, Any]
    source: WipSource = WipSource.EXPLICIT
    expected: UUID | None = None


@dataclass(frozen=True, slots=True)
class Sealing:
    """Properties to change when a draft is sealed, and the event type of the step.

    `expected` is the id of the committed state that the caller read.
    """

    props: dict[str, Any]
    event_type: str = SEALED
    description: str | None = None
    expected: UUID | None = None


async def save_draft(write: UnitOfWork, entity: UUID, saved: DraftChange) -> Written:
    """Set properties in the draft of an entity; without a draft, begin one from the committed state.

    Raises NotFound for an unknown entity, Invalid as a change does, and Conflict if the draft is not the
    expected one.
    """
    definition = await type_of_entity(await write.flush(), write.tenant, entity)
    held = await states.current_states(await write.flush(), write.tenant, entity, Branch.COMMITTED)
    drafts = await states.current_states(await write.flush(), write.tenant, entity, Branch.WIP)
    props = check_properties(definition, saved.props, held)
    write = await at_later_time(write, drafts)
    draft = next((each for each in drafts if each.valid.end is None), None)
    _require_expected(saved.expected, draft)
    base = draft or state_at(held, write.recorded_at) or held[0]
    assertion = Assertion(
        entity, with_changes(base.props, props), base.source_artifact, write.actor, Branch.WIP, saved.source
    )
    change = assert_from(drafts, assertion, write.recorded_at, write.recorded_at)
    event = await carry_out(write, replace(change, properties=tuple(sorted(props))), Cause(SAVED))
    return Written(change.new, event)


async def seal_draft(write: UnitOfWork, state: UUID, sealing: Sealing) -> Written:
    """Make the properties of a draft committed from now on, and close the draft.

    Only the properties that were saved in it are sealed: what others changed meanwhile stays. Raises
    NotFound, Invalid for a state that is no draft, and Conflict if it was sealed, discarded or saved again,
    or if the committed state is not the expected one.
    """
    draft = await _open_draft(write, state)
    held = await states.current_states(await write.flush(), write.tenant, draft.entity, Branch.COMMITTED)
    holding_at(held, write.recorded_at, "state")
    said = {name: draft.props.get(name) for name in await _saved_properties(write, draft)}
    cause = Cause(sealing.event_type, description=sealing.description, draft=draft)
    change = StateChange({**said, **sealing.props}, expected=sealing.expected)
    written = await change_state(write, draft.entity, change, cause)
    write = await at_later_time(write, [draft])
    closed = shorten(draft, draft.props, written.state.valid.start, write.recorded_at)
    await _replace(write, draft, closed)
    return written


async def discard_draft(write: UnitOfWork, state: UUID, description: str | None = None) -> Written:
    """Close a draft without changing the committed state, and return the draft as it ended.

    Raises NotFound, Invalid and Conflict as sealing does.
    """
    draft = await _open_draft(write, state)
    write = await at_later_time(write, [draft])
    closed = shorten(draft, draft.props, write.recorded_at, write.recorded_at)
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
    await states.insert_event(write.rows, write.tenant, draft.entity, event)
    return Written(closed, event)


def _require_expected(expected: UUID | None, draft: EntityState | None) -> None:
    if expected is None or (draft is not None and draft.id == expected):
        return
    if draft is None:
        message = (
            f"the draft {expected} does not exist, or was sealed or discarded; leave it out"
            " to start a new draft"
        )
    else:
        message = f"the draft is now {draft.id}, not {expected}; read it again and retry"
    raise Conflict(message, field="expectedState", current=None if draft is None else draft.id)


async def _open_draft(write: UnitOfWork, state: UUID) -> EntityState:
    found = (await states.states_by_id(await write.flush(), write.tenant, [state])).get(state)
    if found is None:
        raise nothing_has("state", state, "state")
    if found.branch is not Branch.WIP:
        raise Invalid(
            f"{state} is a committed state, not a draft; the query drafts lists the ids of drafts",
            field="state",
        )
    if found.retracted_at is not None or found.valid.end is not None:
        held = await states.current_states(await write.flush(), write.tenant, found.entity, Branch.WIP)
        raise Conflict(
            f"the draft {state} was saved again, sealed or discarded; the query drafts lists the open drafts",
            field="state",
            current=next((each.id for each in held if each.valid.end is None), None),
        )
    return found


async def _saved_properties(write: UnitOfWork, draft: EntityState) -> set[str]:
    """Return the properties saved in a draft since it began; adjoining versions are one draft."""
    where = (await write.flush(), write.tenant, draft.entity, Branch.WIP)
    asserted = await states.asserted_properties(*where)
    said, begins = set(asserted.get(draft.valid.start, ())), draft.valid.start
    for earlier in reversed(await states.current_states(*where)):
        if earlier.valid.end == begins:
            said |= asserted.get(earlier.valid.start, frozenset())
            begins = earlier.valid.start
    return said


async def _replace(write: UnitOfWork, draft: EntityState, closed: EntityState) -> None:
    await states.retract_state(await write.flush(), write.tenant, draft.id, write.recorded_at)
    await states.insert_state(write.rows, write.tenant, closed)


STALE_AFTER = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Reminder:
    """Something that needs attention: since when, and what to do about it."""

    category: str
    message: str
    entity: UUID
    since: datetime


async def stale_drafts(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber | None, now: datetime
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
    message = f"the draft of {name} has not been saved for {days} days; seal it or discard it"
    return Reminder("stale_wip", message, draft.entity, draft.recorded_at)
