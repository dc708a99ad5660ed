"""The projection beside other work of a process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from app.projector.projector import Projector
from app.settings import Settings


@asynccontextmanager
async def projecting(settings: Settings) -> AsyncIterator[Projector | None]:
    """Project while the block lasts, where the settings name a graph; the block waits for nothing."""
    if settings.neo4j_uri is None:
        yield None
        return
    projector = Projector(settings)
    task = asyncio.create_task(projector.run())
    try:
        yield projector
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
