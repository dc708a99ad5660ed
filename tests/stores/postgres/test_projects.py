"""Tenants are made once, with the types they start with."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import asyncpg
import pytest

from app.domain.numbers import TenantNumber
from app.domain.types import rules_among, shipped_types
from app.stores.postgres import ledger_clock, type_definitions
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant
from tests.ledger import contents


async def test_a_tenant_is_made_once(owner: asyncpg.Connection) -> None:
    first = await ensure_tenant(owner, "team")
    before = await contents(owner)
    assert await ensure_tenant(owner, "team") == first
    assert await contents(owner) == before
    assert await ensure_tenant(owner, "other") != first


async def test_a_tenant_made_by_two_at_once_is_one(database_url: str) -> None:
    connections = [await asyncpg.connect(database_url) for _ in range(4)]
    made = await asyncio.gather(*(ensure_tenant(connection, "team") for connection in connections))
    assert len(set(made)) == 1
    for connection in connections:
        await connection.close()


async def test_a_tenant_starts_with_the_shipped_types_and_rules(
    owner: asyncpg.Connection, database: Database
) -> None:
    made = await ensure_tenant(owner, "team")
    async with database.reading(made) as connection:
        known = await type_definitions.types_in_projects(connection, made, [])
        rules = await type_definitions.rules_by_source(connection, made, ["ADR"])
        assert await ledger_clock.read_clock(connection, made) < datetime(1971, 1, 1, tzinfo=UTC)
    assert {recorded.definition for recorded in known} == set(shipped_types())
    assert not any(recorded.is_own for recorded in known)
    shipped = {rule for rule in rules_among(shipped_types()) if rule.source == "ADR"}
    assert set(rules) == shipped


async def test_the_service_cannot_make_a_tenant(database: Database, tenant: TenantNumber) -> None:
    async with database.reading(tenant) as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await ensure_tenant(connection, "team")
