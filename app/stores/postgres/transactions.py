"""Transactions that end in time, and say so when nobody knows how they ended."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from app.errors import OutcomeUnknown, Unavailable
from app.stores.postgres.deadlines import COMMIT, PROMPT, UNDO, answered_within, break_off

_BROKEN = (
    Unavailable,
    asyncpg.OperatorInterventionError,
    asyncpg.PostgresConnectionError,
    asyncpg.QueryCanceledError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
)
"""What leaves open how a statement ended: all but a refusal by the server."""


@asynccontextmanager
async def reading_transaction(connection: asyncpg.Connection, **kind: Any) -> AsyncIterator[None]:
    """Let the statements of the block be of one transaction, which keeps nothing."""
    opened = await _opened(connection, **kind)
    try:
        yield
    finally:
        await _undo(connection, opened)


@asynccontextmanager
async def writing_transaction(connection: asyncpg.Connection) -> AsyncIterator[None]:
    """Let the statements of the block be of one transaction: committed at its end, undone on any exception.

    Raises OutcomeUnknown when the database does not say whether it committed.
    """
    opened = await _opened(connection, isolation="read_committed")
    try:
        yield
    except BaseException:
        await _undo(connection, opened)
        raise
    await _commit(connection, opened)


async def _opened(connection: asyncpg.Connection, **kind: Any) -> Any:
    opened = connection.transaction(**kind)
    async with answered_within(connection, PROMPT):
        await opened.start()
    return opened


async def _undo(connection: asyncpg.Connection, opened: Any) -> None:
    """Roll back; where that fails the connection is broken, which makes the server do it."""
    try:
        async with answered_within(connection, UNDO):
            await opened.rollback()
    except (asyncpg.PostgresError, *_BROKEN):
        break_off(connection)


async def _commit(connection: asyncpg.Connection, opened: Any) -> None:
    try:
        async with answered_within(connection, COMMIT):
            await opened.commit()
    except _BROKEN as error:
        break_off(connection)
        raise OutcomeUnknown(
            "the connection to the database broke while this write was committed, so that nobody knows"
            " whether it was kept; send it again with the same idempotencyKey, which writes it once, or, if"
            " it had none, read first what is there"
        ) from error
