"""Entities in the ledger: identities, keys and names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.entity import Entity
from app.domain.identifier import bare_key
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.temporal import Interval
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.write_buffer import RowTarget, Table, insert_row, one_by_one

SQL = sql_blocks(__file__)

_INSERT_ENTITY = one_by_one(Table.ENTITY, SQL["insert_entity"])


@dataclass(frozen=True, slots=True)
class KeyedEntity:
    """An entity with its keys and the source of its newest document, to resolve references to it."""

    id: UUID
    key: str
    bare_key: str
    is_document: bool
    created_at: datetime
    source_artifact: UUID | None
    type_name: str
    source_uri: str | None = None


def entity_from(row: asyncpg.Record) -> Entity:
    """Return the entity a row describes."""
    return Entity(
        id=row["id"],
        type_name=row["type_name"],
        project=row["project_id"],
        key=row["key"],
        created_at=row["created_at"],
        source_artifact=row["source_artifact"],
    )


def by_either_key(found: Iterable[KeyedEntity]) -> dict[str, list[KeyedEntity]]:
    """Return entities by key, both with and without the namespace."""
    index: dict[str, list[KeyedEntity]] = defaultdict(list)
    for entity in found:
        for key in {entity.key, entity.bare_key}:
            index[key].append(entity)
    return index


async def insert_entity(
    target: RowTarget,
    tenant: TenantNumber,
    entity: Entity,
    type_number: int,
    recorded_at: datetime,
    actor: str,
) -> None:
    """Record an identity."""
    await insert_row(
        target,
        _INSERT_ENTITY,
        tenant=tenant,
        id=entity.id,
        project=entity.project,
        type=type_number,
        key=entity.key,
        bare_key=None if entity.key is None else bare_key(entity.key),
        created_at=entity.created_at,
        recorded_at=recorded_at,
        source_artifact=entity.source_artifact,
        actor=actor,
    )


async def entity_by_key(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, key: str
) -> Entity | None:
    """Return the entity of a project that has this key."""
    row = await connection.fetchrow(SQL["entity_by_key"], tenant, project, key)
    return None if row is None else entity_from(row)


async def entities_of_keys(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, keys: Sequence[str]
) -> dict[str, Entity]:
    """Return the entity of a project that has each of these keys, or else had it last; by the wanted key."""
    rows = await connection.fetch(SQL["entities_of_keys"], tenant, project, list(keys))
    return {row["wanted"]: entity_from(row) for row in rows}


async def rename_entity(connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, key: str) -> None:
    """Give an entity another key; the former one must be recorded as a former name of it before."""
    await connection.execute(SQL["rename_entity"], tenant, entity, key, bare_key(key))


async def begin_at(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, begins: datetime
) -> None:
    """Let an entity begin at another moment, at which a version of its document must begin."""
    await connection.execute(SQL["begin_at"], tenant, entity, begins)


async def entities_by_id(
    connection: asyncpg.Connection, tenant: TenantNumber, ids: Sequence[UUID]
) -> dict[UUID, Entity]:
    """Return the entities of these ids that exist, by id."""
    rows = await connection.fetch(SQL["entities_by_id"], tenant, list(ids))
    return {row["id"]: entity_from(row) for row in rows}


async def entities_by_keys(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, keys: Sequence[str]
) -> list[KeyedEntity]:
    """Return the entities that have one of these keys, with or without the namespace."""
    if not keys:
        return []
    rows = await connection.fetch(SQL["entities_by_keys"], tenant, project, list(keys))
    return [keyed_entity(row) for row in rows]


def keyed_entity(row: asyncpg.Record) -> KeyedEntity:
    """Return the entity that a row describes, with its keys."""
    return KeyedEntity(
        id=row["id"],
        key=row["key"],
        bare_key=row["bare_key"],
        is_document=row["is_document"],
        created_at=row["created_at"],
        source_artifact=row["source_artifact"],
        type_name=row["type_name"],
        source_uri=row["source_uri"],
    )


async def entities_by_source(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, sources: Sequence[str]
) -> dict[str, KeyedEntity]:
    """Return the entity that each of these sources gave last, by source."""
    if not sources:
        return {}
    rows = await connection.fetch(SQL["entities_by_source"], tenant, project, list(sources))
    return {row["source_uri"]: keyed_entity(row) for row in rows}


async def entities_by_name(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, forms: Sequence[str]
) -> dict[str, list[KeyedEntity]]:
    """Return the entities that have one of these folded names now, by name; an id does not count as a key."""
    if not forms:
        return {}
    found: dict[str, list[KeyedEntity]] = defaultdict(list)
    for row in await connection.fetch(SQL["entities_by_name"], tenant, project, list(forms)):
        found[row["folded_form"]].append(keyed_entity(row))
    return dict(found)


async def entities_by_name_in_time(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, forms: Collection[str]
) -> dict[str, list[tuple[KeyedEntity, Interval]]]:
    """Return the entities that have, or had, one of these folded names, and when, by name."""
    found: dict[str, list[tuple[KeyedEntity, Interval]]] = defaultdict(list)
    for row in await connection.fetch(SQL["entities_by_name_in_time"], tenant, project, list(forms)):
        held = Interval(row["valid_from"], row["valid_until"])
        found[row["folded_form"]].append((keyed_entity(row), held))
    return dict(found)


async def entities_by_alias(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, forms: Sequence[str]
) -> dict[str, list[KeyedEntity]]:
    """Return the entity that each of these folded names means now as an alias, by name."""
    if not forms:
        return {}
    rows = await connection.fetch(SQL["entities_by_alias"], tenant, project, list(forms))
    return {row["folded_form"]: [keyed_entity(row)] for row in rows}
