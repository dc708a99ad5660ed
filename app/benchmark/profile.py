"""Profile a recall: its statements by name, the encoder, and the rest in Python."""

from __future__ import annotations

import asyncio
import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import app.stores.postgres
from app.benchmark.baseline import Baseline
from app.benchmark.environment import BorrowedEmbedder
from app.benchmark.ingest import PROJECT
from app.benchmark.load import REPEATS
from app.benchmark.questions import AskedFor, Wordings
from app.benchmark.scenarios import HITS, best_of_baseline
from app.domain.recall import RecallRequest
from app.embedding import Embedder, Vector
from app.services.container import Memory
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.scope import Scope

ENCODER = "encoder"
WHOLE = "whole recall"
PYTHON = "python"
_OTHER = "other statements"


@dataclass(slots=True)
class Spans:
    """The spans of one recall in seconds: its total time, and the intervals of each part."""

    whole: float = 0.0
    by_name: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: str, start: float, end: float) -> None:
        """Record an interval."""
        self.by_name[name].append((start, end))

    def covered(self) -> float:
        """Return the seconds covered by any interval; overlaps count once."""
        covered, reached = 0.0, 0.0
        for start, end in sorted(span for spans in self.by_name.values() for span in spans):
            covered += max(0.0, end - max(start, reached))
            reached = max(reached, end)
        return covered


class _TimedEmbedder(BorrowedEmbedder):
    """An embedder that records when it embeds a question."""

    def __init__(self, embedder: Embedder, spans: Spans) -> None:
        super().__init__(embedder)
        self._spans = spans

    async def embed_query(self, text: str) -> Vector:
        """Return the other embedder's result, and record the time it took."""
        started = perf_counter()
        vector = await super().embed_query(text)
        self._spans.add(ENCODER, started, perf_counter())
        return vector


async def profile_recall(
    memory: Memory,
    questions: Sequence[AskedFor],
    wordings: Wordings,
    advance: Callable[[], None],
) -> list[dict[str, object]]:
    """Return each part of a recall with its mean milliseconds and calls, the whole first.

    Of the repeats of a question the fastest counts. Parts overlap, so their sum may exceed the whole;
    `python` is the time in which neither the database nor the encoder was working.
    """
    names = statement_names()
    fastest = []
    for question in questions:
        requests = [RecallRequest(wordings.fresh(question), project=PROJECT) for _ in range(REPEATS)]
        runs = [await _run(memory, request, names) for request in requests]
        fastest.append(min(runs, key=lambda run: run.whole))
        advance()
    return parts_of(fastest)


async def _run(memory: Memory, request: RecallRequest, names: Mapping[str, str]) -> Spans:
    spans = Spans()
    embedder = _TimedEmbedder(memory.embedder, spans)
    service = replace(memory, embedder=embedder).recall

    def note(logged: Any) -> None:
        now = perf_counter()
        spans.add(names.get(_first_line(logged.query), _OTHER), now - logged.elapsed, now)

    with memory.database.logging(note):
        started = perf_counter()
        await service.recall(memory.caller, request)
        spans.whole = perf_counter() - started
    await asyncio.sleep(0)  # the driver reports a statement in the loop's next round
    return spans


def statement_names() -> dict[str, str]:
    """Return the name of every named block of SQL by its first line, a comment.

    The following lines may be adapted to one project.
    """
    modules = sorted(Path(app.stores.postgres.__path__[0]).rglob("*.sql"))
    return {
        _first_line(statement): f"{module.stem}.{name}"
        for module in modules
        for name, statement in sql_blocks(str(module)).items()
    }


def _first_line(statement: str) -> str:
    return statement.partition("\n")[0]


def parts_of(runs: Sequence[Spans]) -> list[dict[str, object]]:
    """Return the parts of recalls: each part's mean milliseconds and calls, the whole first."""
    seconds: dict[str, float] = defaultdict(float)
    calls: dict[str, int] = defaultdict(int)
    for run in runs:
        for name, found in run.by_name.items():
            seconds[name] += sum(end - start for start, end in found)
            calls[name] += len(found)
        seconds[PYTHON] += max(0.0, run.whole - run.covered())
        calls[PYTHON] += 1
    ordered = sorted(seconds, key=lambda name: -seconds[name])
    seconds[WHOLE], calls[WHOLE] = sum(run.whole for run in runs), len(runs)
    return [
        {
            "part": name,
            "ms": round(seconds[name] * 1000 / len(runs), 3),
            "calls": round(calls[name] / len(runs), 2),
        }
        for name in (WHOLE, *ordered)
    ]


_USER_TIME, _SYSTEM_TIME = 11, 12  # places in /proc/PID/stat after the name


async def baseline_milliseconds(
    baseline: Baseline, memory: Memory, scope: Scope, questions: Sequence[AskedFor], wordings: Wordings
) -> float | None:
    """Return the mean CPU milliseconds of this process and the baseline's server process per query.

    None if the system does not report them.
    """
    if not _stat(baseline.process).exists():
        return None
    before = time.process_time() + _server_seconds(baseline.process)
    for _ in range(REPEATS):
        for question in questions:
            await best_of_baseline(baseline, memory, scope, wordings.fresh(question), HITS)
    spent = time.process_time() + _server_seconds(baseline.process) - before
    return 1000 * spent / (REPEATS * len(questions))


def against_bound(requests_per_second: float, milliseconds: float | None) -> dict[str, float]:
    """Return the bound set by all processors, and the share of it that the measured throughput reaches."""
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
