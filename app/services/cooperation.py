"""Cooperative multitasking: long work on the event loop pauses now and then."""

from __future__ import annotations

import asyncio

SHARE = 100


async def let_others_work(place: int) -> None:
    """Let the other tasks of the event loop run once after every hundredth place."""
    if place % SHARE == SHARE - 1:
        await asyncio.sleep(0)
