"""Withdrawals of aliases and references: why, when and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import asyncpg

from app.domain.entity import Withdrawal
from app.stores.named_blocks import sql_blocks

SQL = sql_blocks(__file__)


async def insert_withdrawal(
    connection: asyncpg.Connection, tenant: int, withdrawn: UUID, ended: UUID | None, withdrawal: Withdrawal
) -> None:
    """Record a withdrawal; `ended` is the ended record that replaces it, None if it had not begun."""
    await connection.execute(
        SQL["insert_withdrawal"],
        tenant,
        withdrawn,
        ended,
        withdrawal.reason,
        withdrawal.at,
        withdrawal.actor,
    )


async def withdrawals_of(
    connection: asyncpg.Connection, tenant: int, ids: Sequence[UUID]
) -> dict[UUID, Withdrawal]:
    """Return the withdrawals of these aliases and references, by requested id."""
    rows = await connection.fetch(SQL["withdrawals_of"], tenant, list(ids))
    return {row["id"]: Withdrawal(row["reason"], row["recorded_at"], row["actor"]) for row in rows}
