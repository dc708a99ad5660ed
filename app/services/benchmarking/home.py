"""A home that lasts as long as a measurement: a folder and an embedded server in it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from app.errors import TrigraphError
from app.settings import Settings
from app.stores.postgres.embedded import EmbeddedPostgres


@asynccontextmanager
async def scratch_home(settings: Settings) -> AsyncIterator[Settings]:
    """Start a server in a new folder and give settings that differ in their home alone.

    Server and folder are gone when the block ends, however it ends.
    """
    with tempfile.TemporaryDirectory(prefix="trigraph-bench-", ignore_cleanup_errors=True) as name:
        starting = asyncio.ensure_future(asyncio.to_thread(EmbeddedPostgres.start, Path(name)))
        try:
            embedded = await asyncio.shield(starting)
        except asyncio.CancelledError:
            # A thread cannot be called back: what it starts is stopped as soon as it is there.
            with suppress(TrigraphError):
                (await starting).stop()
            raise
        try:
            yield settings.model_copy(update={"home": Path(name), "database_url": None})
        finally:
            await asyncio.to_thread(embedded.stop)
