"""Tenants and projects, the scopes inside a tenant."""

from __future__ import annotations

from datetime import UTC, datetime

import asyncpg

from app.domain.entity import Project
from app.domain.numbers import TenantNumber
from app.domain.text import UNKEEPABLE, fold
from app.domain.types import rules_among, shipped_types
from app.stores.named_blocks import sql_blocks
from app.stores.postgres import type_definitions

SQL = sql_blocks(__file__)


def _project(row: asyncpg.Record) -> Project:
    return Project(number=row["project_id"], key=row["key"], name=row["name"])


async def all_projects(connection: asyncpg.Connection, tenant: TenantNumber) -> list[Project]:
    """Return the tenant's projects by key."""
    return [_project(row) for row in await connection.fetch(SQL["all_projects"], tenant)]


async def project_by_key(connection: asyncpg.Connection, tenant: TenantNumber, key: str) -> Project | None:
    """Return the project of this key, compared after folding; no project has one that cannot be stored."""
    if UNKEEPABLE.search(key):
        return None
    row = await connection.fetchrow(SQL["project_by_key"], tenant, fold(key))
    return None if row is None else _project(row)


async def insert_project(
    connection: asyncpg.Connection, tenant: TenantNumber, key: str, recorded_at: datetime
) -> Project:
    """Record a project, with its key as its name."""
    row = await connection.fetchrow(SQL["insert_project"], tenant, key, fold(key), recorded_at)
    return _project(row)


async def ensure_tenant(owner: asyncpg.Connection, key: str) -> TenantNumber:
    """Return the tenant of this key; create it with the shipped types and rules if it is new.

    Takes a connection of the ledger's owner.
    """
    async with owner.transaction():
        created: TenantNumber | None = await owner.fetchval(SQL["create_tenant"], key)
        if created is None:
            existing = await find_tenant(owner, key)
            assert existing is not None
            return existing
        await owner.execute(SQL["create_clock"], created)
        types = shipped_types()
        recorded_at = datetime.now(UTC)
        for definition in types:
            await type_definitions.insert_type(owner, created, None, definition, recorded_at)
        await type_definitions.insert_rules(owner, created, None, rules_among(types))
        return created


async def find_tenant(owner: asyncpg.Connection, key: str) -> TenantNumber | None:
    """Return the tenant of this key, None when there is none; takes a connection of the ledger's owner."""
    tenant: TenantNumber | None = await owner.fetchval(SQL["tenant_by_key"], key)
    return tenant
