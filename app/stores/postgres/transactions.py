"""Transactions with time limits, which report when their outcome is unknown."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

import asyncpg

from app.domain.numbers import TenantNumber
from app.errors import Busy, OutcomeUnknown, Unavailable
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
    """Commit; whoever is cancelled meanwhile waits for the outcome first, which no caller could know."""
    committing = asyncio.ensure_future(_commit_in_time(connection, transaction))
    try:
        await asyncio.shield(committing)
    except asyncio.CancelledError:
        await committing
        raise


async def _commit_in_time(connection: asyncpg.Connection, transaction: Any) -> None:
    try:
        async with time_limit(connection, COMMIT):
            await transaction.commit()
    except _BROKEN as error:
        break_off(connection)
        raise OutcomeUnknown(
            "the connection to the database broke during the commit, so it is unknown"
            " whether the write was saved; send it again with the same idempotencyKey, and"
            " it is written only once; without a key, first read the current data"
        ) from error


AT_ONCE = 2
"""One writes, and the next is at its lock already; more would wait there for nothing."""

MAX_RETRY_AFTER = 60
_WEIGHT = 0.1  # of the last write in what writes take


class Turns:
    """Admits the writers of each tenant in the order of their arrival."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._queues: dict[TenantNumber, _Queue] = {}
        self._usual = 0.1

    @asynccontextmanager
    async def turn(self, tenant: TenantNumber) -> AsyncIterator[None]:
        """Wait for the block's turn and keep it while the block lasts.

        Raises Busy, with the seconds after which to retry, when the turn does not come in time.
        """
        queue = self._queues.setdefault(tenant, _Queue())
        queue.present += 1
        try:
            await self._wait(queue)
            started = monotonic()
            try:
                yield
            finally:
                queue.places.release()
                self._usual += _WEIGHT * (monotonic() - started - self._usual)
        finally:
            queue.present -= 1
            if not queue.present:
                del self._queues[tenant]

    async def _wait(self, queue: _Queue) -> None:
        try:
            async with asyncio.timeout(self._patience):
                await queue.places.acquire()
        except TimeoutError as error:
            after = min(max(1, math.ceil(queue.present * self._usual)), MAX_RETRY_AFTER)
            raise Busy(
                f"other writes took {self._patience:g} seconds, and this one was not"
                f" written; retry in {after} s",
                retry_after=after,
            ) from error


class _Queue:
    def __init__(self) -> None:
        self.places = asyncio.Semaphore(AT_ONCE)
        self.present = 0
