"""The history of entities: pages of their states, and the events between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.page import Page, PageRequest
from app.domain.temporal import Branch, EntityState, StateEvent
from app.stores.postgres.listings import page_bounds
from app.stores.postgres.sql import blocks_beside
from app.stores.postgres.states import state_from

SQL = blocks_beside(__file__)


@dataclass(frozen=True, slots=True)
class Arrival:
    """The start of a state on one branch of an entity, as told by beliefs held until an instant."""

    entity: UUID
    branch: Branch
    start: datetime
    held_until: datetime | None


async def states_of_entities(
    connection: asyncpg.Connection, tenant: int, entities: Sequence[UUID], known: datetime, page: PageRequest
) -> dict[UUID, Page[EntityState]]:
    """Answer a page of each entity's states, both branches, the earliest first."""
    found: dict[UUID, list[EntityState]] = defaultdict(list)
    rows = await connection.fetch(
        SQL["states_of_entities"], tenant, list(entities), known, *page_bounds(page)
    )
    for row in rows:
        found[row["entity"]].append(state_from(row))
    return {entity: Page.cut(found[entity], page.first) for entity in entities}


async def count_states_of_entities(
    connection: asyncpg.Connection, tenant: int, entities: Sequence[UUID], known: datetime
) -> dict[UUID, int]:
    """Answer how many states each entity has; one without any is missing."""
    rows = await connection.fetch(SQL["count_states_of_entities"], tenant, list(entities), known)
    return {row["entity"]: row["count"] for row in rows}


async def events_into(
    connection: asyncpg.Connection, tenant: int, arrivals: Sequence[Arrival]
) -> dict[Arrival, StateEvent]:
    """Answer the event that led into each arrival.

    A state that was cut in two is recorded again under a new id, so the event is found by where its
    state starts and not by the state's id.
    """
    rows = await connection.fetch(
        SQL["events_into"],
        tenant,
        [arrival.entity for arrival in arrivals],
        [arrival.branch for arrival in arrivals],
        [arrival.start for arrival in arrivals],
        [arrival.held_until for arrival in arrivals],
    )
    return {arrivals[row["ordinal"] - 1]: _event(row) for row in rows}


async def events_by_id(
    connection: asyncpg.Connection, tenant: int, ids: Sequence[UUID]
) -> dict[UUID, StateEvent]:
    """Answer the events of these ids."""
    rows = await connection.fetch(SQL["events_by_id"], tenant, list(ids))
    return {row["id"]: _event(row) for row in rows}


async def last_touches(
    connection: asyncpg.Connection, tenant: int, states: Sequence[UUID]
) -> dict[UUID, datetime]:
    """Answer when what each state says was last written."""
    rows = await connection.fetch(SQL["last_touches"], tenant, list(states))
    return {row["id"]: row["touched_at"] for row in rows}


def _event(row: asyncpg.Record) -> StateEvent:
    return StateEvent(
        id=row["id"],
        from_state=row["from_state"],
        to_state=row["to_state"],
        event_type=row["event_type"],
        at=row["at"],
        recorded_at=row["recorded_at"],
        cause_artifact=row["cause_artifact"],
        cause_commit=row["cause_commit"],
        description=row["description"],
        props_drift=row["props_drift"],
        actor=row["actor"],
        properties=tuple(row["properties"]),
        draft=row["draft"],
    )
