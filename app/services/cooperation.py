"""Long work on the event loop, done in small shares."""

from __future__ import annotations

import asyncio

SHARE = 100


async def let_others_work(place: int) -> None:
    """Let every other task of the loop run once, at each hundredth of many places."""
    if place % SHARE == SHARE - 1:
        await asyncio.sleep(0)
