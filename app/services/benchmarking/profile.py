"""Where the time of one recall goes: its statements by name, the encoder, and what is left for Python."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import app.stores.postgres
from app.domain.recall import RecallRequest
from app.embedding import Embedder, Vector
from app.services.benchmarking.borrowed_embedder import BorrowedEmbedder
from app.services.benchmarking.filling import PROJECT
from app.services.benchmarking.questions import AskedFor, Wordings
from app.services.benchmarking.timing import REPEATS
from app.services.memory import Memory
from app.services.recall import RecallService
from app.settings import Settings
from app.stores.postgres.sql import blocks_beside

ENCODER = "encoder"
WHOLE = "whole recall"
PYTHON = "python"
_OTHER = "other statements"


@dataclass(slots=True)
class Spans:
    """One recall: how long it took whole, and the stretches of time by what was done in them, in seconds."""

    whole: float = 0.0
    by_name: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: str, start: float, end: float) -> None:
        """Note a stretch of time."""
        self.by_name[name].append((start, end))

    def covered(self) -> float:
        """Answer the seconds in which anything was done; what overlaps counts once."""
        covered, reached = 0.0, 0.0
        for start, end in sorted(span for spans in self.by_name.values() for span in spans):
            covered += max(0.0, end - max(start, reached))
            reached = max(reached, end)
        return covered


class _TimedEmbedder(BorrowedEmbedder):
    """An embedder that notes when it works on a question."""

    def __init__(self, embedder: Embedder, spans: Spans) -> None:
        super().__init__(embedder)
        self._spans = spans

    async def embed_query(self, text: str) -> Vector:
        """Answer what the embedder answers, and note how long that took."""
        started = perf_counter()
        vector = await super().embed_query(text)
        self._spans.add(ENCODER, started, perf_counter())
        return vector


async def profile_recall(
    memory: Memory,
    settings: Settings,
    questions: Sequence[AskedFor],
    wordings: Wordings,
    advance: Callable[[], None],
) -> list[dict[str, object]]:
    """Answer each part of a recall with its mean milliseconds and calls, the whole first.

    Of the repeats of a question the fastest counts. Parts overlap, so they may add up to more than the
    whole; `python` is the time in which neither the database nor the encoder was at work.
    """
    names = statement_names()
    fastest = []
    for question in questions:
        requests = [RecallRequest(wordings.fresh(question), project=PROJECT) for _ in range(REPEATS)]
        runs = [await _run(memory, settings, request, names) for request in requests]
        fastest.append(min(runs, key=lambda run: run.whole))
        advance()
    return parts_of(fastest)


async def _run(memory: Memory, settings: Settings, request: RecallRequest, names: Mapping[str, str]) -> Spans:
    spans = Spans()
    embedder = _TimedEmbedder(memory.embedder, spans)
    service = RecallService(memory.database, embedder, memory.graph, settings.leg_timeout)

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
    """Answer the name of every named block of SQL by its first line, which says what it answers.

    What follows may be written for one project.
    """
    modules = sorted(Path(app.stores.postgres.__path__[0]).glob("*.sql"))
    return {
        _first_line(statement): f"{module.stem}.{name}"
        for module in modules
        for name, statement in blocks_beside(str(module)).items()
    }


def _first_line(statement: str) -> str:
    return statement.partition("\n")[0]


def parts_of(runs: Sequence[Spans]) -> list[dict[str, object]]:
    """Answer what recalls were made of: each part's mean milliseconds and calls, the whole first."""
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
