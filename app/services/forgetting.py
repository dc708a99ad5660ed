"""What was noted of changes, for whoever copies the graph, is forgotten in time.

No copy loses anything by it: one that is further behind is filled anew. So nobody has to know which copies
there are, and where there is none the notes go as well.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import asyncpg

from app.errors import Unavailable
from app.settings import Settings
from app.stores.background import beside
from app.stores.postgres import outbox
from app.stores.postgres.location import locate_ledger
from app.stores.postgres.owner_connection import owner_connection

AGE = timedelta(days=7)
CHANGES_AT_ONCE = 10_000
SECONDS_BETWEEN_LOOKS = 3600.0
BROKEN = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""What the driver raises when a connection breaks; the last where it breaks between two of its steps."""

log = logging.getLogger(__name__)


async def forget_old_changes(url: str, age: timedelta = AGE) -> int:
    """Forget, some thousands at a time, what was noted so long ago; answer how many changes that were.

    Cut off, it has forgotten less. Raises Unavailable when the ledger does not answer.
    """
    forgotten = 0
    async with owner_connection(url) as owner:
        while count := await outbox.forget(owner, age, CHANGES_AT_ONCE):
            forgotten += count
    return forgotten


@asynccontextmanager
async def kept_short(settings: Settings) -> AsyncIterator[None]:
    """Look every hour of the block whether there is something to forget."""
    location = await locate_ledger(settings)
    try:
        async with beside(_watch(location.url)):
            yield
    finally:
        await location.close()


async def _watch(url: str) -> None:
    while True:
        try:
            await forget_old_changes(url)
        except (Unavailable, *BROKEN, OSError) as error:
            log.warning("old changes are not forgotten now: %s", error)
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
