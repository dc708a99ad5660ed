"""Where the time of one recall goes: its statements by name, the encoder, and what is left for Python."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import app.stores.postgres
from app.domain.recall import RecallRequest
from app.embedding import Embedder, Vector, Vectors
from app.services.benchmarking.filling import PROJECT
from app.services.benchmarking.questions import AskedFor, Wordings
from app.services.memory import Memory
from app.services.recall import RecallService
from app.settings import Settings
from app.stores.postgres.sql import blocks_beside

ENCODER = "encoder"
WHOLE = "whole recall"
PYTHON = "python"
_OTHER = "other statements"


@dataclass(slots=True)
class _Spans:
    """Stretches of time, by what was done in them."""

    by_name: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: str, start: float, end: float) -> None:
        self.by_name[name].append((start, end))

    def covered(self) -> float:
        """Answer the seconds in which anything was done; what overlaps counts once."""
        covered, reached = 0.0, 0.0
        for start, end in sorted(span for spans in self.by_name.values() for span in spans):
            covered += max(0.0, end - max(start, reached))
            reached = max(reached, end)
        return covered


class _TimedEmbedder:
    """An embedder that notes when it works on a question."""

    def __init__(self, embedder: Embedder, spans: _Spans) -> None:
        self._embedder = embedder
        self._spans = spans
        self.name = embedder.name
        self.fingerprint = embedder.fingerprint
        self.dimensions = embedder.dimensions
        self.longest_passage = embedder.longest_passage

    def piece_offsets(self, text: str) -> list[tuple[int, int]]:
        """Answer what the embedder answers."""
        return self._embedder.piece_offsets(text)

    async def embed_query(self, text: str) -> Vector:
        """Answer what the embedder answers, and note how long that took."""
        started = perf_counter()
        vector = await self._embedder.embed_query(text)
        self._spans.add(ENCODER, started, perf_counter())
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Answer what the embedder answers."""
        return await self._embedder.embed_passages(texts)

    async def close(self) -> None:
        """Leave the embedder to its owner."""


async def profile_recall(
    memory: Memory,
    settings: Settings,
    questions: Sequence[AskedFor],
    wordings: Wordings,
    advance: Callable[[], None],
) -> list[dict[str, object]]:
    """Answer each part of a recall with its mean milliseconds and calls, the whole first.

    Parts overlap, so they may add up to more than the whole; `python` is the time in which neither the
    database nor the encoder was at work.
    """
    names = statement_names()
    spans, whole = _Spans(), 0.0
    service = RecallService(memory.database, _TimedEmbedder(memory.embedder, spans), settings.leg_timeout)

    def note(logged: Any) -> None:
        now = perf_counter()
        spans.add(names.get(logged.query, _OTHER), now - logged.elapsed, now)

    for question in questions:
        request = RecallRequest(wordings.fresh(question), project=PROJECT)
        with memory.database.logging(note):
            whole += await _seconds(service.recall(memory.caller, request))
        await asyncio.sleep(0)  # the driver reports a statement in the loop's next round
        advance()
    return _parts(spans, whole, len(questions))


def statement_names() -> dict[str, str]:
    """Answer the name of every named block of SQL by its text."""
    modules = sorted(Path(app.stores.postgres.__path__[0]).glob("*.sql"))
    return {
        statement: f"{module.stem}.{name}"
        for module in modules
        for name, statement in blocks_beside(str(module)).items()
    }


async def _seconds(work: Awaitable[object]) -> float:
    started = perf_counter()
    await work
    return perf_counter() - started


def _parts(spans: _Spans, whole: float, recalls: int) -> list[dict[str, object]]:
    def part(name: str, seconds: float, calls: float) -> dict[str, object]:
        return {
            "part": name,
            "ms": round(seconds * 1000 / recalls, 3),
            "calls": round(calls / recalls, 2),
        }

    parts = [
        part(name, sum(end - start for start, end in found), len(found))
        for name, found in spans.by_name.items()
    ]
    parts.append(part(PYTHON, max(0.0, whole - spans.covered()), recalls))
    ordered = sorted(parts, key=lambda found: -float(str(found["ms"])))
    return [part(WHOLE, whole, recalls), *ordered]
