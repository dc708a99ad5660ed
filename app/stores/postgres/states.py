"""States of entities, and the events between them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.page import Page, PageRequest
from app.domain.temporal import AsOf, Branch, EntityState, Interval, StateEvent, WipSource
from app.domain.text import first_word, name_key
from app.domain.types import naming_forms
from app.stores.named_blocks import PageStatement, sql_blocks
from app.stores.postgres.connection import custom_plans
from app.stores.postgres.lists import page_bounds, page_statement
from app.stores.postgres.write_buffer import RowTarget, Table, insert_row, one_by_one

SQL = sql_blocks(__file__)
_DRAFTS = PageStatement.read(SQL["drafts_page"])

_INSERT_EVENT = one_by_one(Table.EVENT, SQL["insert_event"])
_INSERT_STATE_NAMES = one_by_one(Table.STATE_NAME, SQL["insert_state_names"])
_INSERT_STATE = one_by_one(Table.STATE, SQL["insert_state"])


def state_from(row: asyncpg.Record) -> EntityState:
    """Return the state a row describes."""
    return EntityState(
        id=row["id"],
        entity=row["entity"],
        branch=Branch(row["branch"]),
        valid=Interval(row["valid_from"], row["valid_until"]),
        recorded_at=row["recorded_at"],
        retracted_at=row["retracted_at"],
        props=row["props"],
        source_artifact=row["source_artifact"],
        actor=row["actor"],
        wip_source=None if row["wip_source"] is None else WipSource(row["wip_source"]),
    )


async def current_states(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, branch: Branch
) -> list[EntityState]:
    """Return the current states of one branch of an entity, in order of valid time."""
    rows = await connection.fetch(SQL["current_states"], tenant, entity, branch)
    return [state_from(row) for row in rows]


async def drafts_untouched_since(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    moment: datetime,
    project: ProjectNumber | None,
    limit: int,
) -> list[EntityState]:
    """Return the open drafts, of one project or of all, last written at or before a moment, oldest first."""
    rows = await connection.fetch(SQL["drafts_untouched_since"], tenant, moment, project, limit)
    return [state_from(row) for row in rows]


async def insert_state(target: RowTarget, tenant: TenantNumber, state: EntityState) -> None:
    """Record a state with the names it gives its entity."""
    await insert_row(
        target,
        _INSERT_STATE,
        tenant=tenant,
        id=state.id,
        entity=state.entity,
        branch=state.branch,
        valid_from=state.valid.start,
        valid_until=state.valid.end,
        recorded_at=state.recorded_at,
        props=state.props,
        source_artifact=state.source_artifact,
        actor=state.actor,
        wip_source=state.wip_source,
    )
    await _insert_names(target, tenant, state, naming_forms(state.props))


async def _insert_names(
    target: RowTarget, tenant: TenantNumber, state: EntityState, forms: dict[str, Any]
) -> None:
    if forms:
        folded = [name_key(form) for form in forms.values()]
        await insert_row(
            target,
            _INSERT_STATE_NAMES,
            tenant=tenant,
            state=state.id,
            entity=state.entity,
            properties=list(forms.keys()),
            forms=list(forms.values()),
            folded_forms=folded,
            first_words=[first_word(form) for form in folded],
        )


async def retract_state(
    connection: asyncpg.Connection, tenant: TenantNumber, state: UUID, retracted_at: datetime
) -> None:
    """Retract a state."""
    await connection.execute(SQL["retract_state"], tenant, state, retracted_at)


async def insert_event(target: RowTarget, tenant: TenantNumber, entity: UUID, event: StateEvent) -> None:
    """Record the step from one state to the one that replaced it."""
    await insert_row(
        target,
        _INSERT_EVENT,
        tenant=tenant,
        id=event.id,
        entity=entity,
        from_state=event.from_state,
        to_state=event.to_state,
        event_type=event.event_type,
        at=event.at,
        recorded_at=event.recorded_at,
        cause_artifact=event.cause_artifact,
        cause_commit=event.cause_commit,
        description=event.description,
        props_drift=event.props_drift,
        actor=event.actor,
        properties=list(event.properties),
        draft=event.draft,
    )


async def asserted_properties(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, branch: Branch
) -> dict[datetime, frozenset[str]]:
    """Return the properties that events set, by the start of the state they led to."""
    rows = await connection.fetch(SQL["asserted_properties"], tenant, entity, branch)
    return {row["start"]: frozenset(row["properties"]) for row in rows}


async def asserted_by_documents(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID
) -> dict[datetime, frozenset[str]]:
    """Return the properties that a document's versions set, by the start of the state each gave."""
    rows = await connection.fetch(SQL["asserted_by_documents"], tenant, entity)
    return {row["start"]: frozenset(row["properties"]) for row in rows}


async def states_as_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID], moment: AsOf
) -> dict[tuple[UUID, Branch], EntityState]:
    """Return the states that hold at a moment, at most one per entity and branch."""
    rows = await connection.fetch(SQL["states_as_of"], tenant, list(entities), moment.valid, moment.known)
    return {(row["entity"], Branch(row["branch"])): state_from(row) for row in rows}


async def states_by_id(
    connection: asyncpg.Connection, tenant: TenantNumber, ids: Sequence[UUID]
) -> dict[UUID, EntityState]:
    """Return the states of these ids, retracted ones too, by id."""
    rows = await connection.fetch(SQL["states_by_id"], tenant, list(ids))
    return {row["id"]: state_from(row) for row in rows}


async def drafts_page(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber | None, page: PageRequest
) -> Page[EntityState]:
    """Return a page of the open drafts of one project or of all, longest untouched first."""
    async with custom_plans(connection):
        rows = await connection.fetch(page_statement(_DRAFTS, page), tenant, project, *page_bounds(page))
    return Page.cut([state_from(row) for row in rows], page)


async def count_drafts(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber | None
) -> int:
    """Return the number of open drafts of one project or of all."""
    async with custom_plans(connection):
        count: int = await connection.fetchval(SQL["count_drafts"], tenant, project)
    return count
