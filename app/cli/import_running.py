"""An import as the command line runs it: with its progress, a way to stop it, and what it leaves to do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from app.cli.import_indexing import index_until_stopped
from app.cli.import_progress import import_progress, stop_on_interrupt
from app.cli.printing import error_console
from app.cli.running import settings
from app.cli.waiting import count_waiting
from app.services.importing import ImportSummary
from app.services.memory import Memory, open_memory

Import: TypeAlias = Callable[
    [Memory, int, asyncio.Event, Callable[[ImportSummary], None]], Awaitable[ImportSummary]
]
"""Files what there is, so many documents at a time, until it is to stop; tells of each step."""


async def run_import(bring: Import, project: str | None) -> tuple[ImportSummary, int | None]:
    """Answer what became of an import, and how many references of the project wait.

    At its end what has grown large is indexed, as `trigraph serve` does it.
    """
    chosen = settings()
    async with open_memory(chosen) as memory:
        stop, console = asyncio.Event(), error_console()
        # One document more than there are threads, so that none idles while another is written.
        width = chosen.embedding_threads + 1
        with stop_on_interrupt(stop, console):
            with import_progress(console) as watch:
                summary = await bring(memory, width, stop, watch)
            await index_until_stopped(chosen, stop, console)
        return summary, await count_waiting(memory, project)
