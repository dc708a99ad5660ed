"""Many clients at once: how many answers a second, and how long each waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from time import perf_counter

from app.errors import Unavailable
from app.services.benchmarking.client import RecallClient
from app.services.benchmarking.filling import PROJECT
from app.services.benchmarking.questions import AskedFor, Wordings
from app.services.benchmarking.timing import percentiles

CLIENTS = 16
SECONDS = 10.0


@dataclass(slots=True)
class _Tally:
    waits: list[float] = field(default_factory=list)
    errors: int = 0


async def measure_throughput(
    url: str, questions: Sequence[AskedFor], wordings: Wordings, seconds: float, advance: Callable[[], None]
) -> dict[str, float]:
    """Let 16 clients ask without a pause and answer requests a second, p50 and p95 in ms, and errors."""
    tally = _Tally()
    asked = cycle(questions)
    until = perf_counter() + seconds
    started = perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(CLIENTS):
            group.create_task(_client(url, asked, wordings, until, tally, advance))
    took = perf_counter() - started
    return {
        "clients": CLIENTS,
        "requests_per_second": round(len(tally.waits) / took, 1),
        **percentiles(tally.waits or [0.0]),
        "errors": tally.errors,
    }


async def _client(
    url: str,
    asked: Iterator[AskedFor],
    wordings: Wordings,
    until: float,
    tally: _Tally,
    advance: Callable[[], None],
) -> None:
    """Ask until the time is over; a client whose connection breaks counts an error and connects again."""
    while perf_counter() < until:
        try:
            async with RecallClient.connected(url) as client:
                while perf_counter() < until:
                    request = client.request(wordings.fresh(next(asked)), PROJECT)
                    started = perf_counter()
                    await client.ask(request)
                    tally.waits.append((perf_counter() - started) * 1000)
                    advance()
        except (Unavailable, OSError):
            tally.errors += 1
            await asyncio.sleep(0.1)
