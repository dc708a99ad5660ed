"""Looking things up by what a caller holds: an id, a number, a form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.entity import Alias, Project
from app.domain.ontology import TypeDefinition, Zone
from app.domain.surface_form import fold
from app.stores.postgres.aliases import alias_from
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


@dataclass(frozen=True, slots=True)
class ProjectSize:
    """How much a project holds."""

    entities: int
    artifacts: int


async def kind_of_node(connection: asyncpg.Connection, tenant: int, node: UUID) -> str | None:
    """Answer what an id stands for, as the name of its type."""
    kind: str | None = await connection.fetchval(SQL["kind_of_node"], tenant, node)
    return kind


async def types_of_entities(
    connection: asyncpg.Connection, tenant: int, entities: Sequence[UUID]
) -> dict[UUID, TypeDefinition]:
    """Answer the type of each entity."""
    return {
        row["entity"]: TypeDefinition(
            name=row["name"],
            zone=Zone(row["zone"]),
            ptype=row["ptype"],
            is_document=row["is_document"],
            immutable_props=tuple(row["immutable_props"]),
            mutable_props=tuple(row["mutable_props"]),
        )
        for row in await connection.fetch(SQL["types_of_entities"], tenant, list(entities))
    }


async def projects_by_number(
    connection: asyncpg.Connection, tenant: int, numbers: Sequence[int]
) -> dict[int, Project]:
    """Answer the projects of these numbers."""
    rows = await connection.fetch(SQL["projects_by_number"], tenant, list(numbers))
    return {row["project_id"]: Project(row["project_id"], row["key"], row["name"]) for row in rows}


async def project_sizes(
    connection: asyncpg.Connection, tenant: int, numbers: Sequence[int]
) -> dict[int, ProjectSize]:
    """Answer how much these projects hold."""
    rows = await connection.fetch(SQL["project_sizes"], tenant, list(numbers))
    return {row["project_id"]: ProjectSize(row["entities"], row["artifacts"]) for row in rows}


async def aliases_by_id(
    connection: asyncpg.Connection, tenant: int, ids: Sequence[UUID]
) -> dict[UUID, Alias]:
    """Answer the aliases of these ids, withdrawn ones too."""
    rows = await connection.fetch(SQL["aliases_by_id"], tenant, list(ids))
    return {row["id"]: alias_from(row) for row in rows}


async def aliases_of_form(
    connection: asyncpg.Connection, tenant: int, projects: Sequence[int], form: str, as_of: datetime
) -> list[Alias]:
    """Answer the aliases of this form, at most one a project."""
    rows = await connection.fetch(SQL["aliases_of_form"], tenant, list(projects), fold(form), as_of)
    return [alias_from(row) for row in rows]


async def alias_chain(
    connection: asyncpg.Connection, tenant: int, entity: UUID, as_of: datetime
) -> list[UUID]:
    """Answer the ids of the aliases that lead from an entity to its preferred one, in order."""
    path: list[UUID] = await connection.fetchval(SQL["alias_chain"], tenant, entity, as_of)
    return path
