"""Look things up by an id, a number or a form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.entity import Alias, Project
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.temporal import AsOf
from app.domain.text import fold
from app.domain.types import TypeDefinition, Zone, label_of
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.aliases import alias_from

SQL = sql_blocks(__file__)


@dataclass(frozen=True, slots=True)
class ProjectSize:
    """The numbers of a project's entities and artifacts."""

    entities: int
    artifacts: int


async def kinds_of_nodes(
    connection: asyncpg.Connection, tenant: TenantNumber, nodes: Sequence[UUID]
) -> dict[UUID, str]:
    """Return the name of the GraphQL type of each object with one of these ids."""
    rows = await connection.fetch(SQL["kinds_of_nodes"], tenant, list(nodes))
    return {row["id"]: row["kind"] for row in rows}


async def types_of_entities(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID]
) -> dict[UUID, TypeDefinition]:
    """Return the type of each entity."""
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
    connection: asyncpg.Connection, tenant: TenantNumber, numbers: Sequence[ProjectNumber]
) -> dict[ProjectNumber, Project]:
    """Return the projects of these numbers."""
    rows = await connection.fetch(SQL["projects_by_number"], tenant, list(numbers))
    return {row["project_id"]: Project(row["project_id"], row["key"], row["name"]) for row in rows}


async def project_sizes(
    connection: asyncpg.Connection, tenant: TenantNumber, numbers: Sequence[ProjectNumber]
) -> dict[ProjectNumber, ProjectSize]:
    """Return the sizes of these projects."""
    rows = await connection.fetch(SQL["project_sizes"], tenant, list(numbers))
    return {row["project_id"]: ProjectSize(row["entities"], row["artifacts"]) for row in rows}


async def aliases_by_id(
    connection: asyncpg.Connection, tenant: TenantNumber, ids: Sequence[UUID]
) -> dict[UUID, Alias]:
    """Return the aliases of these ids, withdrawn ones too."""
    rows = await connection.fetch(SQL["aliases_by_id"], tenant, list(ids))
    return {row["id"]: alias_from(row) for row in rows}


async def aliases_of_form(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    projects: Sequence[ProjectNumber],
    form: str,
    as_of: datetime,
) -> list[Alias]:
    """Return the aliases of this form, at most one per project."""
    rows = await connection.fetch(SQL["aliases_of_form"], tenant, list(projects), fold(form), as_of)
    return [alias_from(row) for row in rows]


async def alias_chain(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, as_of: datetime
) -> list[UUID]:
    """Return the ids of the aliases that lead from an entity to its preferred one, in order."""
    path: list[UUID] = await connection.fetchval(SQL["alias_chain"], tenant, entity, as_of)
    return path


@dataclass(frozen=True, slots=True)
class Called:
    """An entity's label for people, or its id, and its identifier, if any."""

    label: str
    identifier: str | None


async def labels_as_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID], moment: AsOf
) -> dict[UUID, str]:
    """Return each entity's label at a moment, else its first later label, else its id."""
    called = await called_as_of(connection, tenant, entities, moment)
    return {entity: each.label for entity, each in called.items()}


async def called_as_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID], moment: AsOf
) -> dict[UUID, Called]:
    """Return each entity's label at a moment, as `labels_as_of` does, with its identifier."""
    rows = await connection.fetch(SQL["speaking_states"], tenant, list(entities), moment.valid, moment.known)
    known = {row["entity"]: _called_from(row) for row in rows}
    return {entity: known.get(entity) or Called(str(entity), None) for entity in entities}


def _called_from(row: asyncpg.Record) -> Called:
    label = label_of(row["props"], row["immutable_props"]) or str(row["entity"])
    identifier = row["props"].get("identifier")
    return Called(label, identifier if isinstance(identifier, str) else None)
