"""The edges of entities: references, documents, aliases and similar entities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from app.domain.artifact import Artifact
from app.domain.entity import Alias, Direction, Reference, ReferenceType
from app.domain.numbers import TenantNumber
from app.domain.page import Page, PageRequest
from app.domain.temporal import AsOf
from app.stores.named_blocks import PageStatement, sql_blocks
from app.stores.postgres.aliases import alias_from
from app.stores.postgres.artifacts import artifact_from
from app.stores.postgres.lists import HistoryFilter, page_bounds, page_statement
from app.stores.postgres.references import reference_from

SQL = sql_blocks(__file__)
_REFERENCES = PageStatement.read(SQL["references_of_entities"])
_ARTIFACTS = PageStatement.read(SQL["artifacts_of_entities"])


@dataclass(frozen=True, slots=True)
class ReferencesAround:
    """A filter: references of one direction and type that hold at a moment; no type means any."""

    direction: Direction
    type: ReferenceType | None
    moment: AsOf


async def references_of_entities(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    entities: Sequence[UUID],
    wanted: ReferencesAround,
    page: PageRequest,
) -> dict[UUID, Page[Reference]]:
    """Return a page of each entity's references, the newest first."""
    statement = page_statement(_REFERENCES, page)
    found = await _references(connection, tenant, entities, wanted, statement, page_bounds(page))
    return {entity: Page.cut(found[entity], page) for entity in entities}


async def newest_references_of_entities(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    entities: Sequence[UUID],
    wanted: ReferencesAround,
    most: int | None,
) -> dict[UUID, list[Reference]]:
    """Return each entity's references, newest first: at most `most`, or all of them."""
    newest = (None, None, most)
    return await _references(connection, tenant, entities, wanted, _REFERENCES.forward, newest)


async def _references(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    entities: Sequence[UUID],
    wanted: ReferencesAround,
    statement: str,
    bounds: tuple[object, ...],
) -> dict[UUID, list[Reference]]:
    found: dict[UUID, list[Reference]] = {entity: [] for entity in entities}
    rows = await connection.fetch(statement, tenant, list(entities), *_around(wanted), *bounds)
    for row in rows:
        found[row["asked"]].append(reference_from(row))
    return found


async def count_references_of_entities(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID], wanted: ReferencesAround
) -> dict[UUID, int]:
    """Return how many references each entity has; entities without any are left out."""
    rows = await connection.fetch(
        SQL["count_references_of_entities"], tenant, list(entities), *_around(wanted)
    )
    return {row["entity"]: row["count"] for row in rows}


def _around(wanted: ReferencesAround) -> tuple[object, ...]:
    leaves = wanted.direction is not Direction.IN
    reaches = wanted.direction is not Direction.OUT
    return leaves, reaches, wanted.type, wanted.moment.valid, wanted.moment.known


async def artifacts_of_entities(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    entities: Sequence[UUID],
    versions: HistoryFilter,
    page: PageRequest,
) -> dict[UUID, Page[Artifact]]:
    """Return a page of each entity's artifacts, the newest first."""
    found: dict[UUID, list[Artifact]] = defaultdict(list)
    asked = (list(entities), versions.known, versions.until, *page_bounds(page))
    for row in await connection.fetch(page_statement(_ARTIFACTS, page), tenant, *asked):
        found[row["entity"]].append(artifact_from(row))
    return {entity: Page.cut(found[entity], page) for entity in entities}


async def count_artifacts_of_entities(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID], versions: HistoryFilter
) -> dict[UUID, int]:
    """Return how many artifacts each entity has; entities without any are left out."""
    asked = (list(entities), versions.known, versions.until)
    rows = await connection.fetch(SQL["count_artifacts_of_entities"], tenant, *asked)
    return {row["entity"]: row["count"] for row in rows}


async def aliases_of_entities(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID], moment: AsOf
) -> dict[UUID, list[Alias]]:
    """Return the aliases of each entity by form; entities without any are left out."""
    found: dict[UUID, list[Alias]] = defaultdict(list)
    asked = (list(entities), moment.valid, moment.known)
    for row in await connection.fetch(SQL["aliases_of_entities"], tenant, *asked):
        found[row["target"]].append(alias_from(row))
    return dict(found)


async def similar_to_entities(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    entities: Sequence[UUID],
    moment: AsOf,
    limit: int,
) -> dict[UUID, list[tuple[UUID, float]]]:
    """Return the entities most similar to each, with the cosine of their best passage, best first."""
    found: dict[UUID, list[tuple[UUID, float]]] = defaultdict(list)
    asked = (list(entities), moment.valid, limit, moment.known)
    for row in await connection.fetch(SQL["similar_to_entities"], tenant, *asked):
        found[row["asked"]].append((row["entity"], row["score"]))
    return dict(found)
