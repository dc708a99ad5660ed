"""Aliases in the ledger: surface forms that mean an entity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID, uuid4

import asyncpg

from app.domain.entity import Alias, AuthorityTier
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.temporal import Interval
from app.domain.text import first_word, fold
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.write_buffer import RowTarget, Table, insert_row, one_by_one

SQL = sql_blocks(__file__)

_INSERT_ALIAS = one_by_one(Table.ALIAS, SQL["insert_alias"])


@dataclass(frozen=True, slots=True)
class RecordedAlias:
    """An alias with the number of its project; `is_current` is false once it was ended or corrected."""

    alias: Alias
    project: ProjectNumber
    is_current: bool


def alias_from(row: asyncpg.Record) -> Alias:
    """Return the alias a row describes."""
    return Alias(
        id=row["id"],
        surface_form=row["surface_form"],
        target=row["target"],
        source=row["source"],
        tier=AuthorityTier(row["authority_tier"]),
        source_artifact=row["source_artifact"],
        valid=Interval(row["valid_from"], row["valid_until"]),
    )


async def insert_alias(
    target: RowTarget,
    tenant: TenantNumber,
    project: ProjectNumber,
    alias: Alias,
    recorded_at: datetime,
    actor: str,
) -> None:
    """Record an alias."""
    folded = fold(alias.surface_form)
    await insert_row(
        target,
        _INSERT_ALIAS,
        tenant=tenant,
        id=alias.id,
        project=project,
        surface_form=alias.surface_form,
        folded_form=folded,
        first_word=first_word(folded),
        target=alias.target,
        source=alias.source,
        authority_tier=alias.tier,
        source_artifact=alias.source_artifact,
        valid_from=alias.valid.start,
        valid_until=alias.valid.end,
        recorded_at=recorded_at,
        actor=actor,
    )


async def current_aliases(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, forms: Sequence[str]
) -> list[Alias]:
    """Return the aliases of these forms in a project, whenever they are valid."""
    folded = [fold(form) for form in forms]
    return [
        alias_from(row) for row in await connection.fetch(SQL["current_aliases"], tenant, project, folded)
    ]


async def recorded_alias(
    connection: asyncpg.Connection, tenant: TenantNumber, id: UUID
) -> RecordedAlias | None:
    """Return the alias of an id, current or not."""
    row = await connection.fetchrow(SQL["recorded_alias"], tenant, id)
    return None if row is None else RecordedAlias(alias_from(row), row["project_id"], row["is_believed"])


async def entities_named(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    project: ProjectNumber,
    name: str,
    key: str,
    valid: Interval,
) -> set[UUID]:
    """Return entities of a project that have this key, or this folded name during part of the interval."""
    rows = await connection.fetch(SQL["called_from"], tenant, project, name, key, valid.start, valid.end)
    return {row["id"] for row in rows}


async def has_name(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, name: str, key: str
) -> bool:
    """Return whether an entity has this key, or has or had this folded name."""
    known: bool = await connection.fetchval(SQL["goes_by"], tenant, entity, name, key)
    return known


async def preferred_targets(
    connection: asyncpg.Connection, tenant: TenantNumber, source: UUID, start: datetime
) -> set[UUID]:
    """Return the entities that an entity's aliases prefer to it at a moment or later."""
    rows = await connection.fetch(SQL["preferred_targets"], tenant, source, start)
    return {row["target"] for row in rows}


async def candidate_of(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, form: str, entity: UUID
) -> UUID:
    """Return the candidate that suggests a form for an entity, pending or reviewed."""
    candidate: UUID = await connection.fetchval(SQL["candidate_of"], tenant, project, fold(form), entity)
    return candidate


async def stated_aliases(connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID) -> list[Alias]:
    """Return the open aliases that the versions of a document state."""
    return [alias_from(row) for row in await connection.fetch(SQL["stated_by"], tenant, entity)]


async def aliases_since(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, begun: datetime, begins: datetime
) -> list[Alias]:
    """Return the aliases of an entity that hold since it `begun`, and those from before it `begins`."""
    rows = await connection.fetch(SQL["aliases_since"], tenant, entity, begun, begins)
    return [alias_from(row) for row in rows]


async def retract_alias(
    connection: asyncpg.Connection, tenant: TenantNumber, id: UUID, recorded_at: datetime
) -> None:
    """Retract an alias."""
    await connection.execute(SQL["retract_alias"], tenant, id, recorded_at)


async def end_alias(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    project: ProjectNumber,
    alias: Alias,
    end: datetime,
    recorded_at: datetime,
    actor: str,
    rows: RowTarget | None = None,
) -> Alias | None:
    """End an alias at `end` and return it as ended, or None if it started later and never applied.

    What is left of it is inserted into `rows`, else at once.
    """
    await retract_alias(connection, tenant, alias.id, recorded_at)
    if alias.valid.start >= end:
        return None
    ended = replace(alias, id=uuid4(), valid=Interval(alias.valid.start, end))
    await insert_alias(rows or connection, tenant, project, ended, recorded_at, actor)
    return ended
