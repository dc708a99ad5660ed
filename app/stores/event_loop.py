"""The event loop: background tasks that run for as long as a block does, and pauses in long work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any


@asynccontextmanager
async def background_task(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a coroutine beside the block; when the block ends, cancel the task and wait for it."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


SHARE = 100


async def let_others_work(place: int) -> None:
    """Let the other tasks of the event loop run once after every hundredth place."""
    if place % SHARE == SHARE - 1:
        await asyncio.sleep(0)
