"""An operation of the API as it is served: when it may begin, how long it may take, who waits for it."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any

from app.errors import Busy, Unavailable
from app.stores.postgres.deadlines import DatabaseUse, database_use

__all__ = ["Admission", "ClientGone", "DatabaseUse", "Demand", "OperationLimits"]

_WEIGHT = 0.1  # of the last operation in what operations take
MAX_RETRY_AFTER = 60

LISTEN_AFTER = 0.05
"""Seconds: most operations have ended by then, and nobody has to listen for their clients."""


class ClientGone(Exception):
    """The client closed its connection before it had its answer."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What an operation asks of the service: so many recalls, other fields that are read, or a write."""

    recalls: int = 0
    is_read: bool = True
    is_recall: bool = False


class Admission:
    """Lets so many at once begin, the others in the order of their arrival.

    Whoever could not begin within `patience` seconds is refused, at once if that is foreseeable.
    """

    def __init__(self, places: int, patience: float) -> None:
        self._places = self._free = places
        self._patience = patience
        self._waiting: deque[tuple[asyncio.Future[None], int]] = deque()
        self._usual = 0.02

    @asynccontextmanager
    async def places(self, count: int) -> AsyncIterator[None]:
        """Take so many places, or all there are, for the block; raise Busy for a wait that is too long."""
        count = min(count, self._places)
        await self._enter(count)
        started = monotonic()
        try:
            yield
        finally:
            self._usual += _WEIGHT * ((monotonic() - started) / count - self._usual)
            self._free += count
            if self._waiting:
                self._admit()

    async def _enter(self, count: int) -> None:
        if not self._waiting and count <= self._free:
            self._free -= count
            return
        before = sum(wanted for _, wanted in self._waiting)
        if self._usual * before / self._places > self._patience:
            raise self._busy()
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((turn, count))
        try:
            async with asyncio.timeout(self._patience):
                await turn
        except TimeoutError as error:
            self._give_up(turn, count)
            raise self._busy() from error
        except BaseException:
            self._give_up(turn, count)
            raise

    def _admit(self) -> None:
        while self._waiting and (self._waiting[0][0].done() or self._waiting[0][1] <= self._free):
            turn, count = self._waiting.popleft()
            if not turn.done():  # one that is cancelled has not heard of it yet
                self._free -= count
                turn.set_result(None)

    def _give_up(self, turn: asyncio.Future[None], count: int) -> None:
        with suppress(ValueError):
            self._waiting.remove((turn, count))
        # Its turn may have come in the moment in which it gave up.
        if turn.done() and not turn.cancelled():
            self._free += count
        self._admit()

    def _busy(self) -> Busy:
        before = sum(wanted for _, wanted in self._waiting) + self._places
        after = min(max(1, math.ceil(self._usual * before / self._places)), MAX_RETRY_AFTER)
        return Busy(f"the service has more to do than it can in time; retry in {after} s", retry_after=after)


class OperationLimits:
    """How many operations are served at once, and for how long."""

    def __init__(self, recall_seconds: float = 5.0, read_seconds: float = 10.0, pool_size: int = 10) -> None:
        self._recall_seconds = recall_seconds
        self._read_seconds = read_seconds
        # A recall reads on three connections at once, and the other reads leave some to it.
        self._recalls = Admission(max(1, pool_size // 2), recall_seconds / 2)
        self._reads = Admission(2 * pool_size, read_seconds / 2)

    @asynccontextmanager
    async def serving(
        self, demand: Demand, receive: Callable[[], Awaitable[Any]]
    ) -> AsyncIterator[DatabaseUse]:
        """Serve an operation in the block, and stop all that the database does for it when the block ends.

        Raises Busy when too many came before, Unavailable when it takes too long, ClientGone when its client
        leaves. A write has no limit of time but those of the database: once committed it is answered.
        """
        guard = _Guard(receive)
        try:
            with database_use() as use:
                if not demand.is_read:
                    yield use
                    return
                admission = self._recalls if demand.recalls else self._reads
                async with admission.places(max(1, demand.recalls)):
                    guard.limit(self._recall_seconds if demand.is_recall else self._read_seconds)
                    yield use
        except asyncio.CancelledError:
            guard.explain()
            raise
        finally:
            guard.close()


class _Guard:
    """Cancels the task that made it when its client leaves, or when its time is over."""

    __slots__ = ("_block", "_deadline", "_failure", "_listener", "_loop", "_receive", "_timer")

    def __init__(self, receive: Callable[[], Awaitable[Any]]) -> None:
        self._receive = receive
        self._block = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        self._failure: Exception | None = None
        self._listener: asyncio.Task[None] | None = None
        self._deadline: tuple[float, float] | None = None
        # One timer is enough for an operation that ends before anybody has to look after it.
        self._timer = self._loop.call_later(LISTEN_AFTER, self._look_after)

    def limit(self, seconds: float) -> None:
        """Let the task go on for so many seconds from now."""
        self._deadline = (self._loop.time() + seconds, seconds)
        if self._listener is not None:
            self._timer = self._loop.call_later(seconds, self._end, _too_late(seconds))

    def explain(self) -> None:
        """Raise the reason why the guard cancelled the task, if it did."""
        if self._failure is not None and self._block is not None:
            self._block.uncancel()
            raise self._failure from None

    def close(self) -> None:
        """Let the task go on without a guard."""
        self._timer.cancel()
        if self._listener is not None:
            self._listener.cancel()

    def _look_after(self) -> None:
        self._listener = self._loop.create_task(self._listen())
        if self._deadline is not None:
            at, seconds = self._deadline
            self._timer = self._loop.call_at(at, self._end, _too_late(seconds))

    async def _listen(self) -> None:
        message = await self._receive()
        if message["type"] == "http.request" and not message.get("more_body"):
            message = await self._receive()  # of a GET, nobody has read the empty body
        if message["type"] == "http.disconnect":
            self._end(ClientGone())

    def _end(self, failure: Exception) -> None:
        if self._failure is None and self._block is not None:
            self._failure = failure
            self._block.cancel()


def _too_late(seconds: float) -> Unavailable:
    return Unavailable(
        f"the operation took more than {seconds:g} seconds and was stopped; ask for less at once, or retry"
        " later",
        retry_after=max(1, math.ceil(seconds)),
    )
