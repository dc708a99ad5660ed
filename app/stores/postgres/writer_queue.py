"""The queue of writers: the writers of a tenant wait here without holding a connection."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic

from app.errors import Busy

AT_ONCE = 2
"""One writes, and the next is at its lock already; more would wait there for nothing."""

MAX_RETRY_AFTER = 60
_WEIGHT = 0.1  # of the last write in what writes take


class Turns:
    """Admits the writers of each tenant in the order of their arrival."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._queues: dict[int, _Queue] = {}
        self._usual = 0.1

    @asynccontextmanager
    async def turn(self, tenant: int) -> AsyncIterator[None]:
        """Wait for the block's turn and keep it while the block lasts.

        Raises Busy, with the seconds after which to retry, when the turn does not come in time.
        """
        queue = self._queues.setdefault(tenant, _Queue())
        queue.present += 1
        try:
            await self._wait(queue)
            started = monotonic()
            try:
                yield
            finally:
                queue.places.release()
                self._usual += _WEIGHT * (monotonic() - started - self._usual)
        finally:
            queue.present -= 1
            if not queue.present:
                del self._queues[tenant]

    async def _wait(self, queue: _Queue) -> None:
        try:
            async with asyncio.timeout(self._patience):
                await queue.places.acquire()
        except TimeoutError as error:
            after = min(max(1, math.ceil(queue.present * self._usual)), MAX_RETRY_AFTER)
            raise Busy(
                f"other writes were before this one for {self._patience:g} seconds, and nothing of it was"
                f" written; retry in {after} s",
                retry_after=after,
            ) from error


class _Queue:
    def __init__(self) -> None:
        self.places = asyncio.Semaphore(AT_ONCE)
        self.present = 0
