"""Work on the ledger that is due again and again while a service runs."""

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
"""Does what is due in the ledger of an address."""

BROKEN = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""What the driver raises when a connection breaks; the last where it breaks between two of its steps."""

log = logging.getLogger(__name__)


@asynccontextmanager
async def run_periodically(settings: Settings, work: Work, pause: float, failed: str) -> AsyncIterator[None]:
    """Do the work at once and every `pause` seconds of the block; where that fails say so and go on."""
    location = await locate_ledger(settings)
    try:
        async with background_task(_keep_up(location.url, work, pause, failed)):
            yield
    finally:
        await location.close()


async def _keep_up(url: str, work: Work, pause: float, failed: str) -> None:
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
    """Forget, some thousands at a time, what was noted so long ago; answer how many changes that were.

    Cut off, it has forgotten less. Raises Unavailable when the ledger does not answer.
    """
    forgotten = 0
    async with owner_connection(url) as owner:
        while count := await outbox.forget(owner, age, CHANGES_AT_ONCE):
            forgotten += count
    return forgotten


def prune_outbox_periodically(settings: Settings) -> AbstractAsyncContextManager[None]:
    """Look every hour of the block whether there is something to forget."""
    return run_periodically(settings, forget_old_changes, PRUNE_INTERVAL, "old changes are not forgotten now")
