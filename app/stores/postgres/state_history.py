"""The history of entities: their states, events, asserted properties, versions and intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.entity import Edge
from app.domain.numbers import TenantNumber
from app.domain.page import Page, PageRequest
from app.domain.temporal import Branch, EntityState, Interval, StateEvent
from app.stores.named_blocks import PageStatement, sql_blocks
from app.stores.postgres.lists import HistoryFilter, page_bounds, page_statement
from app.stores.postgres.states import state_from

SQL = sql_blocks(__file__)
_STATES = PageStatement.read(SQL["states_of_entities"])


@dataclass(frozen=True, slots=True)
class Arrival:
    """The start of a state on one branch of an entity, by the beliefs held until an instant."""

    entity: UUID
    branch: Branch
    start: datetime
    held_until: datetime | None


async def states_of_entities(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    entities: Sequence[UUID],
    wanted: HistoryFilter,
    page: PageRequest,
) -> dict[UUID, Page[EntityState]]:
    """Return a page of each entity's states, both branches, the earliest first."""
    found: dict[UUID, list[EntityState]] = defaultdict(list)
    asked = (list(entities), wanted.known, wanted.until, *page_bounds(page))
    rows = await connection.fetch(page_statement(_STATES, page), tenant, *asked)
    for row in rows:
        found[row["entity"]].append(state_from(row))
    return {entity: Page.cut(found[entity], page) for entity in entities}


async def count_states_of_entities(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID], wanted: HistoryFilter
) -> dict[UUID, int]:
    """Return how many states each entity has; entities without any are left out."""
    asked = (list(entities), wanted.known, wanted.until)
    rows = await connection.fetch(SQL["count_states_of_entities"], tenant, *asked)
    return {row["entity"]: row["count"] for row in rows}


async def events_into(
    connection: asyncpg.Connection, tenant: TenantNumber, arrivals: Sequence[Arrival]
) -> dict[Arrival, StateEvent]:
    """Return the event that led to each arrival.

    A state that was split is recorded again under a new id, so the event is found by the start of its
    state and not by the state's id.
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
    connection: asyncpg.Connection, tenant: TenantNumber, ids: Sequence[UUID]
) -> dict[UUID, StateEvent]:
    """Return the events of these ids."""
    rows = await connection.fetch(SQL["events_by_id"], tenant, list(ids))
    return {row["id"]: _event(row) for row in rows}


async def last_touches(
    connection: asyncpg.Connection, tenant: TenantNumber, states: Sequence[UUID]
) -> dict[UUID, datetime]:
    """Return when the content of each state was last written."""
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


@dataclass(frozen=True, slots=True)
class AssertedProperties:
    """Properties asserted from a moment on: by a document, by a commit, or by a caller.

    `props` are all properties of the entity then; `properties` names the asserted ones.
    """

    at: datetime
    event_type: str
    cause_commit: str | None
    by_document: bool
    properties: Sequence[str]
    props: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Version:
    """One artifact of an entity, without its text; `is_hidden` if git says that it is not there."""

    id: UUID
    created_at: datetime
    recorded_at: datetime
    content_hash: str
    source_uri: str | None
    source_commit: str | None
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class AssertedInterval:
    """The interval of a reference by current belief, and the entity whose document states it."""

    id: UUID
    valid: Interval
    occurrences: int
    source_artifact: UUID | None
    stated_by: UUID | None


@dataclass(frozen=True, slots=True)
class StateCommit:
    """A commit that caused a believed state, from a moment on; `by_filing` if a filed document named it."""

    commit: str
    at: datetime
    by_filing: bool


async def commits_of_states(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID
) -> list[StateCommit]:
    """Return the commits that caused the believed states of an entity."""
    rows = await connection.fetch(SQL["commits_of_states"], tenant, entity)
    return [StateCommit(**row) for row in rows]


async def statements_about(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID
) -> list[AssertedProperties]:
    """Return every assertion about an entity's committed states, in the order of recording."""
    return [
        AssertedProperties(**row) for row in await connection.fetch(SQL["statements_about"], tenant, entity)
    ]


async def versions_of(connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID) -> list[Version]:
    """Return the versions of an entity in the order in which they take effect."""
    rows = await connection.fetch(SQL["versions_of"], tenant, entity)
    return [Version(**row) for row in rows]


async def spans_of_edge(
    connection: asyncpg.Connection, tenant: TenantNumber, edge: Edge
) -> list[AssertedInterval]:
    """Return the intervals of an edge by current belief, earliest first."""
    rows = await connection.fetch(SQL["spans_of_edge"], tenant, *edge)
    return [
        AssertedInterval(
            id=row["id"],
            valid=Interval(row["valid_from"], row["valid_until"]),
            occurrences=row["occurrences"],
            source_artifact=row["source_artifact"],
            stated_by=row["stated_by"],
        )
        for row in rows
    ]


async def retract_span(
    connection: asyncpg.Connection, tenant: TenantNumber, span: UUID, retracted_at: datetime
) -> None:
    """Retract a reference with its interval."""
    await connection.execute(SQL["retract_span"], tenant, span, retracted_at)
