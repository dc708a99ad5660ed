"""A scratch ledger for measuring, dropped afterwards, so that no measurement touches anybody's documents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from app.services.memory import Memory, open_memory_at
from app.settings import Settings
from app.stores.postgres.location import LedgerLocation, locate_ledger
from app.stores.postgres.owner_connection import owner_connection

PREFIX = "trigraph_scratch_"

_ABANDONED = """
SELECT datname FROM pg_database
WHERE starts_with(datname, $1)
    AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE pg_stat_activity.datname = pg_database.datname)
"""


# Whoever drops abandoned databases may not meet one that is made and not connected to yet.
_ONE_AT_A_TIME = "SELECT pg_advisory_lock(hashtextextended('trigraph scratch', 0))"
_NEXT = "SELECT pg_advisory_unlock(hashtextextended('trigraph scratch', 0))"


@asynccontextmanager
async def scratch_memory(settings: Settings) -> AsyncIterator[Memory]:
    """Open the services on a new, empty database beside the ledger the settings name.

    Scratch databases that a killed process left behind are dropped on the way.
    """
    location = await locate_ledger(settings)
    try:
        async with (
            _scratch_database(location.url) as url,
            open_memory_at(LedgerLocation(url, location.embedded), settings, migrates=True) as memory,
        ):
            yield memory
    finally:
        await location.close()


@asynccontextmanager
async def _scratch_database(url: str) -> AsyncIterator[str]:
    name = f"{PREFIX}{uuid4().hex}"
    scratch = urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
    async with AsyncExitStack() as stack:
        async with owner_connection(url, seconds=None) as owner:
            await owner.execute(_ONE_AT_A_TIME)
            for row in await owner.fetch(_ABANDONED, PREFIX):
                await owner.execute(f'DROP DATABASE IF EXISTS "{row["datname"]}"')
            await owner.execute(f'CREATE DATABASE "{name}"')
            await stack.enter_async_context(owner_connection(scratch))
            await owner.execute(_NEXT)
        try:
            yield scratch
        finally:
            async with owner_connection(url, seconds=None) as owner:
                await owner.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
