"""Projects: the scopes inside a tenant."""

from __future__ import annotations

from datetime import datetime

import asyncpg

from app.domain.entity import Project
from app.domain.surface_form import UNKEEPABLE, fold
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


def _project(row: asyncpg.Record) -> Project:
    return Project(number=row["project_id"], key=row["key"], name=row["name"])


async def all_projects(connection: asyncpg.Connection, tenant: int) -> list[Project]:
    """Answer the tenant's projects by key."""
    return [_project(row) for row in await connection.fetch(SQL["all_projects"], tenant)]


async def project_by_key(connection: asyncpg.Connection, tenant: int, key: str) -> Project | None:
    """Answer the project of this key, compared after folding; no project has one that cannot be stored."""
    if UNKEEPABLE.search(key):
        return None
    row = await connection.fetchrow(SQL["project_by_key"], tenant, fold(key))
    return None if row is None else _project(row)


async def insert_project(
    connection: asyncpg.Connection, tenant: int, key: str, recorded_at: datetime
) -> Project:
    """Record a project; its name is its key until somebody says otherwise."""
    row = await connection.fetchrow(SQL["insert_project"], tenant, key, fold(key), recorded_at)
    return _project(row)
