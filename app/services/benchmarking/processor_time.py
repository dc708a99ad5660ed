"""What one answer of the floor takes of the processors: no service can answer more often than that allows."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from app.services.benchmarking.questions import AskedFor, Wordings
from app.services.benchmarking.recall_rows import HITS, best_of_floor
from app.services.benchmarking.timing import REPEATS
from app.services.memory import Memory
from app.stores.postgres.floor import Floor
from app.stores.postgres.scope import Scope

_USER_TIME, _SYSTEM_TIME = 11, 12  # places in /proc/PID/stat after the name


async def floor_milliseconds(
    floor: Floor, memory: Memory, scope: Scope, questions: Sequence[AskedFor], wordings: Wordings
) -> float | None:
    """Answer the mean milliseconds of this process and of the floor's server process for one answer.

    None where the system does not tell them.
    """
    if not _stat(floor.process).exists():
        return None
    before = time.process_time() + _server_seconds(floor.process)
    for _ in range(REPEATS):
        for question in questions:
            await best_of_floor(floor, memory, scope, wordings.fresh(question), HITS)
    spent = time.process_time() + _server_seconds(floor.process) - before
    return 1000 * spent / (REPEATS * len(questions))


def against_bound(requests_per_second: float, milliseconds: float | None) -> dict[str, float]:
    """Answer the bound that all processors together set, and how near to it so many requests are."""
    if milliseconds is None:
        return {}
    bound = 1000 * (os.cpu_count() or 1) / milliseconds
    return {
        "floor_processor_ms": round(milliseconds, 2),
        "processor_bound_per_second": round(bound, 1),
        "over_processor_bound": round(requests_per_second / bound, 3),
    }


def _stat(process: int) -> Path:
    return Path(f"/proc/{process}/stat")


def _server_seconds(process: int) -> float:
    numbers = _stat(process).read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(numbers[_USER_TIME]) + int(numbers[_SYSTEM_TIME])) / os.sysconf("SC_CLK_TCK")
