"""A ledger after a large import, in the state in which it will stay."""

from __future__ import annotations

from time import perf_counter

from app.services.indexing import index_ledger
from app.settings import Settings
from app.stores.postgres.location import locate_ledger
from app.stores.postgres.owner_connection import owner_connection


async def settle(settings: Settings, large: int) -> float:
    """Tidy up now, as the server would by itself a minute after a large import and amid the timing.

    Answers the seconds it took to index what is large.
    """
    started = perf_counter()
    await index_ledger(settings, large)
    took = perf_counter() - started
    location = await locate_ledger(settings)
    try:
        async with owner_connection(location.url, seconds=None) as owner:
            await owner.execute("VACUUM (ANALYZE)")
    finally:
        await location.close()
    return took
