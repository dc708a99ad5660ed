"""Work on the ledger that is due again and again while a service runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import asyncpg

from app.errors import Unavailable
from app.settings import Settings
from app.stores.background import beside
from app.stores.postgres.location import locate_ledger

Work: TypeAlias = Callable[[str], Awaitable[object]]
"""Does what is due in the ledger of an address."""

BROKEN = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""What the driver raises when a connection breaks; the last where it breaks between two of its steps."""

log = logging.getLogger(__name__)


@asynccontextmanager
async def kept_up(settings: Settings, work: Work, pause: float, failed: str) -> AsyncIterator[None]:
    """Do the work at once and every `pause` seconds of the block; where that fails say so and go on."""
    location = await locate_ledger(settings)
    try:
        async with beside(_keep_up(location.url, work, pause, failed)):
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
