"""Transactions with time limits, which report when their outcome is unknown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from app.errors import OutcomeUnknown, Unavailable
from app.stores.postgres.deadlines import COMMIT, PROMPT, UNDO, break_off, time_limit

_BROKEN = (
    Unavailable,
    asyncpg.OperatorInterventionError,
    asyncpg.PostgresConnectionError,
    asyncpg.QueryCanceledError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
)
"""Errors after which a statement's outcome is unknown: all but a refusal by the server."""


@asynccontextmanager
async def reading_transaction(connection: asyncpg.Connection, **kind: Any) -> AsyncIterator[None]:
    """Run the block in one transaction, which is rolled back at the end."""
    transaction = await _begin(connection, **kind)
    try:
        yield
    finally:
        await _undo(connection, transaction)


@asynccontextmanager
async def writing_transaction(connection: asyncpg.Connection) -> AsyncIterator[None]:
    """Run the block in one transaction: committed at its end, rolled back on any exception.

    Raises OutcomeUnknown when the database does not say whether it committed.
    """
    transaction = await _begin(connection, isolation="read_committed")
    try:
        yield
    except BaseException:
        await _undo(connection, transaction)
        raise
    await _commit(connection, transaction)


async def _begin(connection: asyncpg.Connection, **kind: Any) -> Any:
    transaction = connection.transaction(**kind)
    async with time_limit(connection, PROMPT):
        await transaction.start()
    return transaction


async def _undo(connection: asyncpg.Connection, transaction: Any) -> None:
    """Roll back; if that fails, terminate the connection, so that the server rolls back."""
    try:
        async with time_limit(connection, UNDO):
            await transaction.rollback()
    except (asyncpg.PostgresError, *_BROKEN):
        break_off(connection)


async def _commit(connection: asyncpg.Connection, transaction: Any) -> None:
    try:
        async with time_limit(connection, COMMIT):
            await transaction.commit()
    except _BROKEN as error:
        break_off(connection)
        raise OutcomeUnknown(
            "the connection to the database broke while this write was committed, so that nobody knows"
            " whether it was kept; send it again with the same idempotencyKey, which writes it once, or, if"
            " it had none, read first what is there"
        ) from error
