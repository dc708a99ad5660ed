"""The idempotent write: a request repeated under its key gets the first answer and writes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import asyncpg
import orjson

from app.domain.entity import Caller
from app.domain.numbers import TenantNumber
from app.errors import Conflict, Invalid
from app.services.parsing.text import clean_value
from app.services.unit_of_work import NO_HOMONYMS, Homonyms, UnitOfWork, unit_of_work
from app.stores.postgres import idempotency
from app.stores.postgres.idempotency import IdempotentRequest
from app.stores.postgres.pool import Database

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
    return IdempotentRequest(_actor(caller), operation, key, hashlib.sha256(written).hexdigest())


def _actor(caller: Caller) -> str:
    """Return whose key it is: callers of two projects may have one name, and see no answer of each other.

    No name has a line break.
    """
    return caller.principal if caller.project is None else f"{caller.principal}\n{caller.project}"


def _without_none(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: clean_value(value) for name, value in arguments.items() if value is not None}


def _fields_with_values(content: object) -> dict[str, Any]:
    if not is_dataclass(content):
        raise TypeError(type(content).__name__)
    compared = (field.name for field in fields(content) if field.compare)
    return _without_none({name: getattr(content, name) for name in compared})


Answer = TypeVar("Answer")
ToResponse: TypeAlias = Callable[[Answer], dict[str, Any]]
FromResponse: TypeAlias = Callable[[asyncpg.Connection, TenantNumber, Mapping[str, Any]], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class SavedAnswer(Generic[Answer]):
    """How the answer of an operation is saved as JSON, and restored by a connection and a tenant."""

    to_response: ToResponse[Answer]
    restore: FromResponse[Answer]

    async def find(
        self, connection: asyncpg.Connection, tenant: TenantNumber, request: IdempotentRequest | None
    ) -> Answer | None:
        """Return the answer saved under a request's key; raise Conflict if the key came with other input."""
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
        return await self.restore(connection, tenant, saved.answer)


async def write_once(
    database: Database,
    caller: Caller,
    request: IdempotentRequest | None,
    saved: SavedAnswer[Answer],
    carry_out: Callable[[UnitOfWork], Awaitable[Answer]],
    homonyms: Homonyms = NO_HOMONYMS,
) -> Answer:
    """Carry out a write in one transaction and save its answer under the request's key, if it has one.

    A request repeated under its key gets the first answer, and nothing is written. Raises Conflict if the key
    came with other input, and Forbidden for a caller who may only read.
    """
    async with unit_of_work(database, caller, homonyms) as write:
        earlier = await saved.find(await write.flush(), write.tenant, request)
        if earlier is not None:
            return earlier
        answer = await carry_out(write)
        if request is not None:
            response = saved.to_response(answer)
            await idempotency.insert_response(
                await write.flush(), write.tenant, request, response, write.recorded_at
            )
        return answer
