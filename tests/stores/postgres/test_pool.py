from __future__ import annotations

import asyncio

import asyncpg
import pytest

from app.errors import Conflict, Unavailable
from app.stores.postgres.migrate import migrate
from app.stores.postgres.pool import Database
from tests.conftest import Server
from tests.statements import counted


async def test_each_connection_works_as_the_ordinary_role(database: Database, tenant: int) -> None:
    async with database.reading(tenant) as connection:
        assert await connection.fetchval("SELECT current_user") == "trigraph_service"
        assert await connection.fetchval("SHOW jit") == "off"


async def test_a_connection_sees_only_the_tenant_it_is_bound_to(
    database: Database, owner: asyncpg.Connection, tenant: int
) -> None:
    other = await owner.fetchval("INSERT INTO tenant (key) VALUES ('other') RETURNING tenant_id")
    for bound in (tenant, other, other, tenant):
        async with database.reading(bound) as connection:
            assert await connection.fetch("SELECT tenant_id FROM tenant") == [(bound,)]
