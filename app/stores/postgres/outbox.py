"""What changed in the ledger, in the order of commits over all tenants: for the ledger's owner."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

import asyncpg

from app.domain.projection import ProjectedChange
from app.stores.named_blocks import sql_blocks

SQL = sql_blocks(__file__)

CHANNEL = "trigraph_outbox"
"""Where the ledger tells, at each commit, that something changed."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Whole transactions of the ledger: what they changed, up to which position, and what stands there."""

    changes: tuple[ProjectedChange, ...]
    position: int
    mark: str


@asynccontextmanager
async def projecting_alone(owner: asyncpg.Connection) -> AsyncIterator[None]:
    """Wait until nobody else projects this ledger, then see one moment of it until the block ends.

    The lock ends with the connection, however that ends.
    """
    # Held before the transaction begins, which would else see a moment before the wait.
    await owner.execute(SQL["hold_projection"])
    try:
        async with owner.transaction(isolation="repeatable_read", readonly=True):
            yield
    finally:
        if not owner.is_closed():
            await owner.execute(SQL["release_projection"])


async def ledger_of(owner: asyncpg.Connection) -> str:
    """Return what tells this ledger from every other."""
    name: str = await owner.fetchval(SQL["ledger"])
    return name


async def head(owner: asyncpg.Connection) -> tuple[int, str | None]:
    """Return the last position and what stands there; 0 and None before the first change."""
    row = await owner.fetchrow(SQL["head"])
    return (0, None) if row is None else (row["position"], row["mark"])


async def mark_at(owner: asyncpg.Connection, position: int) -> str | None:
    """Return what stands at a position; None when nothing does."""
    mark: str | None = await owner.fetchval(SQL["mark_at"], position)
    return mark


async def changes_after(owner: asyncpg.Connection, position: int, at_least: int) -> Changes | None:
    """Return what changed after a position, `at_least` so many changes in whole transactions, or None."""
    rows = await owner.fetch(SQL["changes_after"], position, at_least)
    if not rows:
        return None
    changes = tuple(ProjectedChange(row["kind"], row["tenant_id"], row["row_id"]) for row in rows)
    return Changes(changes, rows[-1]["position"], rows[-1]["mark"])


async def count_after(owner: asyncpg.Connection, position: int) -> int:
    """Return how many changes stand after a position."""
    count: int = await owner.fetchval(SQL["count_after"], position)
    return count


async def horizon(owner: asyncpg.Connection) -> int:
    """Return up to which position changes may be gone: who is not beyond it cannot tell what changed."""
    position: int = await owner.fetchval(SQL["horizon"])
    return position


async def forget(owner: asyncpg.Connection, age: timedelta, most: int) -> int:
    """Forget so many changes, the oldest of those of that age, and answer how many; all or none are gone."""
    count: int = await owner.fetchval(SQL["forget"], age, most)
    return count


@dataclass(frozen=True, slots=True)
class Head:
    """The last change of a tenant, and the transaction time up to which everything of it is visible.

    `has_change` tells that the change that was asked about stands in this ledger.
    """

    clock: datetime
    position: int
    has_change: bool


async def head_of_tenant(
    connection: asyncpg.Connection, tenant: int, position: int, mark: str | None
) -> Head:
    """Return how far a tenant's ledger has come, and whether a change of any tenant stands at a position."""
    row = await connection.fetchrow(SQL["head_of_tenant"], tenant, position, mark)
    return Head(row["clock"], row["position"], row["has_change"])
