"""How far the ledger of a tenant has come, for whoever reads a copy of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import asyncpg

from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


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
    """Answer how far a tenant's ledger has come, and whether a change of any tenant stands at a position."""
    row = await connection.fetchrow(SQL["head_of_tenant"], tenant, position, mark)
    return Head(row["clock"], row["position"], row["has_change"])
