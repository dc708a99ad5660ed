"""The ledger's clock and the position of a write."""

from __future__ import annotations

from datetime import datetime

import asyncpg

from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


async def advance_clock(connection: asyncpg.Connection, tenant: int) -> datetime:
    """Answer the transaction time of this write, later than every earlier one of the tenant.

    Other writers of the tenant wait until this transaction ends.
    """
    recorded_at: datetime = await connection.fetchval(SQL["advance_clock"], tenant)
    return recorded_at


async def read_clock(connection: asyncpg.Connection, tenant: int) -> datetime:
    """Answer the transaction time up to which this connection sees everything of the tenant."""
    recorded_at: datetime = await connection.fetchval(SQL["read_clock"], tenant)
    return recorded_at


async def settle_clock(connection: asyncpg.Connection, tenant: int) -> datetime:
    """Wait for the write at hand, then answer the clock: nothing is recorded before now any more."""
    recorded_at: datetime = await connection.fetchval(SQL["settle_clock"], tenant)
    return recorded_at


async def settle(connection: asyncpg.Connection) -> int | None:
    """Check every deferred rule, and answer the write's position; None when it changed nothing."""
    await connection.execute(SQL["check_rules_now"])
    position: int | None = await connection.fetchval(SQL["position_of_this_transaction"])
    return position
