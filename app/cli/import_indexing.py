"""What an import leaves to be done for large projects: an index over their vectors."""

from __future__ import annotations

import asyncio

from rich.console import Console

from app.services.indexing import index_ledger
from app.settings import Settings


async def index_until_stopped(settings: Settings, stop: asyncio.Event, console: Console) -> None:
    """Index what has grown large; an interrupt leaves that to the next import, or to `trigraph serve`."""
    indexing = asyncio.create_task(index_ledger(settings))
    stopping = asyncio.create_task(stop.wait())
    with console.status("indexing the vectors of large projects"):
        await asyncio.wait((indexing, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not indexing.done():
        indexing.cancel()
    await asyncio.gather(indexing, stopping, return_exceptions=True)
