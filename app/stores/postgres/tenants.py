"""Tenants: made by the ledger's owner, since no tenant may see another."""

from __future__ import annotations

from datetime import UTC, datetime

import asyncpg

from app.domain.ontology import rules_among, shipped_types
from app.stores.postgres import ontology
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


async def ensure_tenant(owner: asyncpg.Connection, key: str) -> int:
    """Answer the tenant of this key, made with the shipped types and rules when it is new.

    Takes a connection of the ledger's owner.
    """
    async with owner.transaction():
        created: int | None = await owner.fetchval(SQL["create_tenant"], key)
        if created is None:
            return int(await owner.fetchval(SQL["tenant_by_key"], key))
        await owner.execute(SQL["create_clock"], created)
        types = shipped_types()
        recorded_at = datetime.now(UTC)
        for definition in types:
            await ontology.insert_type(owner, created, None, definition, recorded_at)
        await ontology.insert_rules(owner, created, None, rules_among(types))
        return created


async def find_tenant(owner: asyncpg.Connection, key: str) -> int | None:
    """Return the tenant of this key, None when there is none; takes a connection of the ledger's owner."""
    tenant: int | None = await owner.fetchval(SQL["tenant_by_key"], key)
    return tenant
