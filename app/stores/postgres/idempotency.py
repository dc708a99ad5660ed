"""Saved responses of requests that carried an idempotency key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import asyncpg

from app.domain.numbers import TenantNumber
from app.stores.named_blocks import Statement, sql_blocks

SQL = sql_blocks(__file__)

_INSERT_RESPONSE = Statement.read(SQL["insert_response"])


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """An actor, an operation and a key; equal fingerprints mean equal input."""

    actor: str
    operation: str
    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class SavedResponse:
    """A saved response, and the fingerprint of the input it belongs to."""

    fingerprint: str
    answer: dict[str, Any]


async def find_response(
    connection: asyncpg.Connection, tenant: TenantNumber, request: IdempotentRequest
) -> SavedResponse | None:
    """Return the response saved under the request's key."""
    row = await connection.fetchrow(
        SQL["find_response"], tenant, request.actor, request.operation, request.key
    )
    return None if row is None else SavedResponse(row["fingerprint"], row["answer"])


async def insert_response(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    request: IdempotentRequest,
    answer: dict[str, Any],
    recorded_at: datetime,
) -> None:
    """Save a response under the request's key."""
    row = _INSERT_RESPONSE.arguments(
        tenant=tenant,
        actor=request.actor,
        operation=request.operation,
        key=request.key,
        fingerprint=request.fingerprint,
        answer=answer,
        recorded_at=recorded_at,
    )
    await connection.execute(_INSERT_RESPONSE.text, *row)
