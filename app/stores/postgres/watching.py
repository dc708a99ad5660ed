"""Keeping the embedded server alive for as long as somebody works with it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.errors import Unavailable
from app.stores.background import beside
from app.stores.postgres.embedded import EmbeddedPostgres

SECONDS_BETWEEN_LOOKS = 1.0

log = logging.getLogger(__name__)


@asynccontextmanager
async def kept_running(embedded: EmbeddedPostgres | None) -> AsyncIterator[None]:
    """Start the embedded server again whenever it dies inside the block; without one, do nothing."""
    if embedded is None:
        yield
        return
    async with beside(_watch(embedded)):
        yield


async def _watch(embedded: EmbeddedPostgres) -> None:
    while True:
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        try:
            await asyncio.to_thread(embedded.keep_running)
        except (Unavailable, OSError) as error:
            log.warning("the embedded database does not start again: %s", error)
