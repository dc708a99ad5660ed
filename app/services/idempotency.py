"""Asking again under the same key: the first answer again, and nothing written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import asyncpg
import orjson

from app.domain.entity import Caller
from app.errors import Conflict, Invalid
from app.services.parsing.text import clean_value
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import idempotency
from app.stores.postgres.idempotency import IdempotentRequest

MAX_KEY_LENGTH = 255


def idempotent_request(
    caller: Caller, operation: str, key: str | None, **arguments: Any
) -> IdempotentRequest | None:
    """Handle a request as its key is kept by, or None without a key; raises Invalid for an unfit one.

    The arguments are all of the input that matters, as orjson can write it. One that is None, or a field of
    theirs that is, counts as not given: a verb that learns of another argument knows its earlier keys again.
    """
    if key is None:
        return None
    if not key.strip() or len(key) > MAX_KEY_LENGTH or not key.isprintable():
        raise Invalid(
            f"an idempotency key has 1 to {MAX_KEY_LENGTH} printable characters", field="idempotencyKey"
        )
    written = orjson.dumps(
        _given(arguments), _given_fields, option=orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS
    )
    return IdempotentRequest(caller.principal, operation, key, hashlib.sha256(written).hexdigest())


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: clean_value(value) for name, value in arguments.items() if value is not None}


def _given_fields(content: object) -> dict[str, Any]:
    if not is_dataclass(content):
        raise TypeError(type(content).__name__)
    return _given({field.name: getattr(content, field.name) for field in fields(content)})


async def load_response(
    connection: asyncpg.Connection, tenant: int, request: IdempotentRequest | None
) -> dict[str, Any] | None:
    """Return what was kept under a request's key; raises Conflict when it came with other input."""
    if request is None:
        return None
    kept = await idempotency.answer_of_key(connection, tenant, request)
    if kept is None:
        return None
    if kept.fingerprint != request.fingerprint:
        raise Conflict(
            "this idempotency key came with other input before; take a new key for a new request",
            field="idempotencyKey",
        )
    return kept.answer


async def save_response(write: UnitOfWork, request: IdempotentRequest | None, answer: dict[str, Any]) -> None:
    """Keep what is answered to a request's key, in the transaction that carries it out."""
    if request is not None:
        await idempotency.insert_answer(write.connection, write.tenant, request, answer, write.recorded_at)
