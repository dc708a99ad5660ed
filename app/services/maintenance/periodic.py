"""Run work on the ledger periodically while a service runs, such as pruning the outbox."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from typing import TypeAlias

import asyncpg

from app.errors import Unavailable
from app.settings import Settings
from app.stores.background_task import background_task
from app.stores.postgres import outbox
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.location import locate_ledger

Work: TypeAlias = Callable[[str], Awaitable[object]]
"""Does the due work in the ledger at a URL."""

BROKEN = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""The driver's errors for a broken connection; the last if it breaks between two of its own steps."""

log = logging.getLogger(__name__)


@asynccontextmanager
async def run_periodically(settings: Settings, work: Work, pause: float, failed: str) -> AsyncIterator[None]:
    """Do the work at once and every `pause` seconds during the block; log a failure and go on."""
    location = await locate_ledger(settings)
    try:
        async with background_task(_repeat(location.url, work, pause, failed)):
            yield
    finally:
        await location.close()


async def _repeat(url: str, work: Work, pause: float, failed: str) -> None:
    while True:
        try:
            await work(url)
        except (Unavailable, *BROKEN, OSError) as error:
            log.warning("%s: %s", failed, error)
        await asyncio.sleep(pause)


AGE = timedelta(days=7)
CHANGES_AT_ONCE = 10_000
PRUNE_INTERVAL = 3600.0


async def forget_old_changes(url: str, age: timedelta = AGE) -> int:
    """Delete outbox changes older than `age`, some thousands at a time, and return how many.

    An interruption keeps what was deleted so far. Raises Unavailable if the ledger does not answer.
    """
    forgotten = 0
    async with owner_connection(url) as owner:
        while count := await outbox.forget(owner, age, CHANGES_AT_ONCE):
            forgotten += count
    return forgotten


def prune_outbox_periodically(settings: Settings) -> AbstractAsyncContextManager[None]:
    """Prune the outbox every hour during the block."""
    return run_periodically(settings, forget_old_changes, PRUNE_INTERVAL, "pruning old changes failed")
