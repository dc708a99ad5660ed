"""Answers kept under the key that a request carried."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import asyncpg

from app.stores.named_blocks import sql_blocks

SQL = sql_blocks(__file__)


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """Who asked for which operation under which key; equal fingerprints mean equal input."""

    actor: str
    operation: str
    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What was answered, and the fingerprint of the input that was answered so."""

    fingerprint: str
    answer: dict[str, Any]


async def answer_of_key(
    connection: asyncpg.Connection, tenant: int, request: IdempotentRequest
) -> KeptAnswer | None:
    """Return what was kept under the request's key."""
    row = await connection.fetchrow(
        SQL["answer_of_key"], tenant, request.actor, request.operation, request.key
    )
    return None if row is None else KeptAnswer(row["fingerprint"], row["answer"])


async def insert_answer(
    connection: asyncpg.Connection,
    tenant: int,
    request: IdempotentRequest,
    answer: dict[str, Any],
    recorded_at: datetime,
) -> None:
    """Keep an answer under the request's key."""
    await connection.execute(
        SQL["insert_answer"],
        tenant,
        request.actor,
        request.operation,
        request.key,
        request.fingerprint,
        answer,
        recorded_at,
    )
