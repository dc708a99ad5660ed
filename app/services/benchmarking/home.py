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
from app.stores.postgres.location import locate_ledger
from app.stores.postgres.owner_connection import owner_connection

_HURRIED = {
    "synchronous_commit": "off",
    "fsync": "off",
    "full_page_writes": "off",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "30min",
}


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


@asynccontextmanager
async def hurried(settings: Settings) -> AsyncIterator[None]:
    """Let the server of a scratch home not wait for its disk in the block: what is in it may be lost."""
    location = await locate_ledger(settings)
    try:
        async with owner_connection(location.url) as owner:
            for setting, value in _HURRIED.items():
                await owner.execute(f"ALTER SYSTEM SET {setting} = '{value}'")
            await owner.execute("SELECT pg_reload_conf()")
            yield
            await owner.execute("ALTER SYSTEM RESET ALL")
            await owner.execute("SELECT pg_reload_conf()")
    finally:
        await location.close()
