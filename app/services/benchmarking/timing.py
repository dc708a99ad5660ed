"""Timing that stands on a busy machine: rows in turn, and the best of a few repeats for each question."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from math import ceil
from random import Random
from time import perf_counter
from typing import TypeAlias

from app.services.benchmarking.questions import AskedFor

REPEATS = 3

Job: TypeAlias = Callable[[], Awaitable[object]]
"""What is timed."""

Row: TypeAlias = Callable[[AskedFor], Awaitable[Job]]
"""Prepares what is timed for a question; the preparation itself is not timed."""


async def time_rows(
    rows: Mapping[str, Row], questions: Sequence[AskedFor], advance: Callable[[], None]
) -> dict[str, list[float]]:
    """Answer for each row the milliseconds of each question, the best of the repeats.

    All rows are timed for one question before the next, each time in another order, so that whatever
    else the machine does, and whatever a row leaves behind, meets all of them alike.
    """
    random = Random(0)
    best: dict[str, dict[AskedFor, float]] = {name: {} for name in rows}
    for _ in range(REPEATS):
        for question in questions:
            for name in random.sample(list(rows), len(rows)):
                took = await milliseconds(await rows[name](question))
                best[name][question] = min(took, best[name].get(question, took))
            advance()
    return {name: list(found.values()) for name, found in best.items()}


async def milliseconds(job: Job) -> float:
    """Answer how many milliseconds a job took."""
    started = perf_counter()
    await job()
    return (perf_counter() - started) * 1000


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Answer the median and the 95th percentile: the smallest value that so many do not exceed."""
    ordered = sorted(values)
    return {
        name: round(ordered[max(0, ceil(share * len(ordered)) - 1)], 3)
        for name, share in (("p50", 0.50), ("p95", 0.95))
    }
