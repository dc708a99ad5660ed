"""The outbox: changes of the ledger in commit order, of all tenants for its owner, of one for the service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import asyncpg

from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.projection import ProjectedChange
from app.stores.named_blocks import sql_blocks

SQL = sql_blocks(__file__)

CHANNEL = "trigraph_outbox"
"""Where the ledger tells, at each commit, that something changed."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of whole transactions, the last position they reach, and the mark at that position."""

    changes: tuple[ProjectedChange, ...]
    position: int
    mark: str


@asynccontextmanager
async def projecting_alone(owner: asyncpg.Connection) -> AsyncIterator[None]:
    """Wait until nobody else projects this ledger, then read one snapshot of it until the block ends.

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
    """Return the unique id of this ledger."""
    name: str = await owner.fetchval(SQL["ledger"])
    return name


async def outbox_position(owner: asyncpg.Connection) -> tuple[int, str | None]:
    """Return the last position and the mark there; 0 and None before the first change."""
    row = await owner.fetchrow(SQL["outbox_position"])
    return (0, None) if row is None else (row["position"], row["mark"])


async def mark_at(owner: asyncpg.Connection, position: int) -> str | None:
    """Return the mark at a position; None if there is no change."""
    mark: str | None = await owner.fetchval(SQL["mark_at"], position)
    return mark


async def changes_after(owner: asyncpg.Connection, position: int, at_least: int) -> Changes | None:
    """Return the changes after a position, `at_least` so many, in whole transactions; None without any."""
    rows = await owner.fetch(SQL["changes_after"], position, at_least)
    if not rows:
        return None
    changes = tuple(ProjectedChange(row["kind"], row["tenant_id"], row["row_id"]) for row in rows)
    return Changes(changes, rows[-1]["position"], rows[-1]["mark"])


async def count_after(owner: asyncpg.Connection, position: int) -> int:
    """Return the number of changes after a position."""
    count: int = await owner.fetchval(SQL["count_after"], position)
    return count


async def horizon(owner: asyncpg.Connection) -> int:
    """Return the position up to which changes may be deleted; a projection behind it must start anew."""
    position: int = await owner.fetchval(SQL["horizon"])
    return position


async def forget(owner: asyncpg.Connection, age: timedelta, most: int) -> int:
    """Delete at most `most` changes of that age, oldest first, atomically; return how many."""
    count: int = await owner.fetchval(SQL["forget"], age, most)
    return count


@dataclass(frozen=True, slots=True)
class TenantPosition:
    """The last position of a tenant; `has_change` means that its ledger has the change in question."""

    position: int
    has_change: bool


async def tenant_position(
    connection: asyncpg.Connection, tenant: TenantNumber, position: int, mark: str | None
) -> TenantPosition:
    """Return a tenant's last position, and whether a change of any tenant has this position and mark."""
    row = await connection.fetchrow(SQL["tenant_position"], tenant, position, mark)
    return TenantPosition(row["position"], row["has_change"])


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one tenant: what kind of row it is of, and the project, entity and object it is about.

    A type may be of no project. `is_there` is false for a change that the caller may not see.
    """

    position: int
    kind: str
    row: UUID
    project: ProjectNumber | None
    entity: UUID | None
    node: UUID | None
    is_there: bool


@dataclass(frozen=True, slots=True)
class TenantChanges:
    """Changes of a tenant in order; `oldest` is the first kept one if some before it may be gone, else 0."""

    changes: tuple[Change, ...]
    oldest: int


async def changes_of_tenant(
    connection: asyncpg.Connection, tenant: TenantNumber, after: int, most: int
) -> TenantChanges:
    """Return at most so many changes of a tenant after a position."""
    rows = await connection.fetch(SQL["changes_of_tenant"], tenant, after, most)
    if not rows:  # its last change is always kept, so there was none
        return TenantChanges((), 0)
    has_gap = after < rows[0]["horizon"] and after < rows[0]["oldest"]
    changes = tuple(_change(row) for row in rows)
    return TenantChanges(changes, rows[0]["oldest"] if has_gap else 0)


def _change(row: asyncpg.Record) -> Change:
    return Change(
        position=row["position"],
        kind=row["kind"],
        row=row["row_id"],
        project=row["project_id"],
        entity=row["entity"],
        node=row["node"],
        is_there=row["is_there"] is True,
    )


async def last_change_of_tenant(connection: asyncpg.Connection, tenant: TenantNumber) -> int:
    """Return the position of a tenant's last change, 0 before the first."""
    position: int = await connection.fetchval(SQL["last_change_of_tenant"], tenant)
    return position
