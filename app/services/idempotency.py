"""Idempotent requests: a request repeated under its key gets the first response and writes nothing."""

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
    """Return the request that is stored with its key, or None without a key.

    The arguments are all input that matters, serialisable by orjson. An argument or field that is None
    counts as not given: when an operation gets a new argument, its earlier fingerprints stay valid. Raises
    Invalid for an unfit key.
    """
    if key is None:
        return None
    if not key.strip() or len(key) > MAX_KEY_LENGTH or not key.isprintable():
        raise Invalid(
            f"an idempotency key has 1 to {MAX_KEY_LENGTH} printable characters", field="idempotencyKey"
        )
    written = orjson.dumps(
        _without_none(arguments),
        _fields_with_values,
        option=orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS,
    )
    return IdempotentRequest(caller.principal, operation, key, hashlib.sha256(written).hexdigest())


def _without_none(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: clean_value(value) for name, value in arguments.items() if value is not None}


def _fields_with_values(content: object) -> dict[str, Any]:
    if not is_dataclass(content):
        raise TypeError(type(content).__name__)
    return _without_none({field.name: getattr(content, field.name) for field in fields(content)})


async def load_response(
    connection: asyncpg.Connection, tenant: int, request: IdempotentRequest | None
) -> dict[str, Any] | None:
    """Return the response saved under a request's key; raise Conflict if the key came with other input."""
    if request is None:
        return None
    saved = await idempotency.find_response(connection, tenant, request)
    if saved is None:
        return None
    if saved.fingerprint != request.fingerprint:
        raise Conflict(
            "this idempotency key was used with other input before; use a new key for a new request",
            field="idempotencyKey",
        )
    return saved.answer


async def save_response(write: UnitOfWork, request: IdempotentRequest | None, answer: dict[str, Any]) -> None:
    """Save the response to a request under its key, in the transaction that carries it out."""
    if request is not None:
        await idempotency.insert_response(write.connection, write.tenant, request, answer, write.recorded_at)
