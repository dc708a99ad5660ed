"""Withdrawals of aliases and references: why, when and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import asyncpg

from app.domain.entity import Withdrawal
from app.domain.numbers import TenantNumber
from app.stores.named_blocks import Statement, sql_blocks

SQL = sql_blocks(__file__)

_INSERT_WITHDRAWAL = Statement.read(SQL["insert_withdrawal"])


async def insert_withdrawal(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    withdrawn: UUID,
    ended: UUID | None,
    withdrawal: Withdrawal,
) -> None:
    """Record a withdrawal; `ended` is the ended record that replaces it, None if it had not begun."""
    row = _INSERT_WITHDRAWAL.arguments(
        tenant=tenant,
        withdrawn=withdrawn,
        ended=ended,
        reason=withdrawal.reason,
        recorded_at=withdrawal.at,
        actor=withdrawal.actor,
    )
    await connection.execute(_INSERT_WITHDRAWAL.text, *row)


async def withdrawals_of(
    connection: asyncpg.Connection, tenant: TenantNumber, ids: Sequence[UUID]
) -> dict[UUID, Withdrawal]:
    """Return the withdrawals of these aliases and references, by requested id."""
    rows = await connection.fetch(SQL["withdrawals_of"], tenant, list(ids))
    return {row["id"]: Withdrawal(row["reason"], row["recorded_at"], row["actor"]) for row in rows}
