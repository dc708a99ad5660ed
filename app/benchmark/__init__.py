"""Benchmark recall and ingest on a scratch ledger against a baseline."""

from __future__ import annotations

import os
import platform
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path

from app.benchmark.baseline import Baseline
from app.benchmark.corpus import SEED, Body, read_corpus
from app.benchmark.environment import fast_writes, open_synthetic, scratch_home, serve_ledger
from app.benchmark.ingest import PROJECT, Filled, Made, Making, document_maker, fill, settle
from app.benchmark.load import REPEATS, SECONDS, RecallClient, measure_throughput, percentiles, time_rows
from app.benchmark.profile import against_bound, baseline_milliseconds, profile_recall
from app.benchmark.questions import AskedFor, Wordings, make_questions, spread
from app.benchmark.scenarios import LegRows, RecallRows, dense_recall
from app.domain.recall import RecallRequest
from app.services.container import Memory, open_memory
from app.services.maintenance.periodic import LARGE
from app.services.recall.scope import scope_of
from app.settings import Settings
from app.stores.postgres.embedded.postmaster import most_processes
from app.stores.postgres.location import locate_ledger
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope
from app.stores.postgres.vector_indexes import valid_indexes

__all__ = ["Advance", "BenchmarkReport", "run_benchmark"]


Figures = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class BenchmarkReport:
    """All figures of one run; times are milliseconds."""

    documents: int
    rows: Figures
    ratios: Mapping[str, float]
    throughput: Mapping[str, float]
    bulk: Mapping[str, float]
    profile: Sequence[Mapping[str, object]]
    machine: Mapping[str, object]
    corpus: Mapping[str, object]


def ratios_of(rows: Figures, bulk: Mapping[str, float]) -> dict[str, float]:
    """Return ratios of rows of the same run, which depend little on the machine's load."""
    ratios = {
        "graphql_over_floor_p50": _ratio(rows, "graphql", "floor", "p50"),
        "graphql_over_floor_p95": _ratio(rows, "graphql", "floor", "p95"),
        "hybrid_over_vector_p50": _ratio(rows, "service", "vector_only", "p50"),
        "as_of_over_current_p50": _ratio(rows, "graphql_as_of", "graphql", "p50"),
    }
    if "embedded_per_second" in bulk:
        ratios["bulk_over_embed"] = round(bulk["filed_per_second"] / bulk["embedded_per_second"], 3)
    return ratios


def _ratio(rows: Figures, row: str, beside: str, name: str) -> float:
    return round(rows[row][name] / rows[beside][name], 2)


def describe_machine() -> dict[str, object]:
    """Return the properties of the machine; unknown ones are null."""
    return {
        "cores": os.cpu_count(),
        "processor": _read_field(Path("/proc/cpuinfo"), "model name") or platform.processor() or None,
        "memory_gib": _memory(),
        "load": round(os.getloadavg()[0], 2),
        "platform": platform.platform(),
        "python": platform.python_version(),
    }


def _memory() -> float | None:
    with suppress(OSError, ValueError):
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    return None


def _read_field(path: Path, name: str) -> str | None:
    with suppress(OSError):
        for line in path.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    return None


FILED_ALONE = 20

Advance = Callable[[str, int, int | None], None]
"""Called with a step's name, how much of it is done and how much there is; None when nobody knows."""


async def run_benchmark(
    settings: Settings,
    documents: int,
    corpora: Path | None,
    advance: Advance,
    seconds: float = SECONDS,
    *,
    synthetic: bool = False,
    large: int = LARGE,
) -> BenchmarkReport:
    """Measure with so many documents and return every figure; `seconds` is the throughput test's length.

    Unless `synthetic`, the encoder makes every vector. From `large` vectors on the project has an index.
    Raises Invalid for a number that is too small or too large, and for a folder without texts.
    """
    corpus = read_corpus(documents, corpora)
    machine = describe_machine()
    async with (
        scratch_home(settings) as scratch,
        open_memory(scratch) as memory,
        document_maker(documents, corpora) as maker,
    ):
        run = _Run(scratch, memory, advance)
        filled = await run.fill(maker, documents, corpus.stretches if synthetic else ())
        bulk = _bulk(filled, await settle(scratch, large))
        questions = make_questions(filled.kept, SEED)
        newcomers = await maker.begin(range(documents + 1, documents + 1 + REPEATS * FILED_ALONE))
        wordings = Wordings()
        async with serve_ledger(scratch.home) as url:
            rows, recall, milliseconds = await run.time(url, questions, wordings, newcomers)
        throughput = await run.ask_as_many(questions, wordings, seconds)
        throughput |= against_bound(throughput["requests_per_second"], milliseconds)
        profile = await profile_recall(memory, questions, wordings, run.step("profiling", len(questions)))
    figures = {name: percentiles(found) for name, found in rows.items()}
    ratios = {**ratios_of(figures, bulk), "dense_recall_at_50": recall}
    described = corpus.description() | {
        "vectors": "synthetic, mixed of real ones" if synthetic else "the encoder's",
        "recombined": filled.recombined,
        "questions": len(questions),
        "repeats": REPEATS,
    }
    return BenchmarkReport(documents, figures, ratios, throughput, bulk, profile, machine, described)


class _Run:
    """The steps of a run, on one scratch ledger."""

    def __init__(self, settings: Settings, memory: Memory, advance: Advance) -> None:
        self._settings = settings
        self._memory = memory
        self._advance = advance

    def step(self, name: str, total: int | None) -> Callable[[], None]:
        """Return a function that reports one more item of a step as done."""
        done = count(1)
        return lambda: self._advance(name, next(done), total)

    async def fill(self, maker: Making, documents: int, mixed_of: Sequence[Body]) -> Filled:
        """File the documents, as many at once as an import does; their vectors may be mixed from others."""
        width = self._memory.import_width
        report: Callable[[int], None] = partial(self._report_filled, documents)
        memory = self._memory
        if not mixed_of:
            return await fill(memory, maker, documents, spread(documents), width, report)
        mixing = await open_synthetic(memory.embedder, mixed_of)
        memory = replace(memory, embedder=mixing)
        async with fast_writes(self._settings):
            return await fill(memory, maker, documents, spread(documents), width, report, embeds_alone=False)

    async def time(
        self, url: str, questions: Sequence[AskedFor], wordings: Wordings, newcomers: Sequence[Made]
    ) -> tuple[dict[str, list[float]], float, float | None]:
        """Time every row, reading rows before the filing row, which changes what they read.

        Returns the rows, the dense leg's recall of the nearest artifacts, and the CPU milliseconds of one
        query of the baseline.
        """
        scope = await _scope(self._memory)
        async with AsyncExitStack() as stack:
            baseline = await stack.enter_async_context(_baseline(self._settings, scope))
            client = await stack.enter_async_context(RecallClient.connected(url))
            recalls = RecallRows(
                self._memory, scope, baseline, client, wordings, (each.document for each in newcomers)
            )
            legs = LegRows(self._memory, scope)
            rows = {**recalls.rows(), **legs.rows()}
            total = REPEATS * len(questions)
            timed = await time_rows(rows, questions, self.step("timing", total))
            recall = await dense_recall(legs, questions, self.step("counting what is found", len(questions)))
            milliseconds = await baseline_milliseconds(baseline, self._memory, scope, questions, wordings)
            alone = questions[:FILED_ALONE]
            filing = self.step("filing one by one", REPEATS * len(alone))
            timed |= await time_rows({"file_one": recalls.file_one}, alone, filing)
            return timed, recall, milliseconds

    async def ask_as_many(
        self, questions: Sequence[AskedFor], wordings: Wordings, seconds: float
    ) -> dict[str, float]:
        """Measure the throughput of a service with one worker per processor."""
        workers = min(os.cpu_count() or 1, most_processes(self._settings.pool_size))
        report = self.step("asking with many clients", None)
        async with serve_ledger(self._settings.home, workers) as url:
            measured = await measure_throughput(url, questions, wordings, seconds, report)
        return {"workers": workers, **measured}

    def _report_filled(self, documents: int, filed: int) -> None:
        self._advance("filling", filed, documents)


def _bulk(filled: Filled, indexing_seconds: float) -> dict[str, float]:
    found = {
        "filed_per_second": round(filled.filed_per_second, 2),
        "indexing_seconds": round(indexing_seconds, 2),
        "loop_lag_p50_ms": percentiles(filled.lags)["p50"],
        "loop_lag_p95_ms": percentiles(filled.lags)["p95"],
    }
    if filled.embedded:
        found["embedded_per_second"] = round(filled.embedded_per_second, 2)
    return found


async def _scope(memory: Memory) -> Scope:
    """Return a scope of everything that is filed, as of now."""
    async with memory.database.reading(memory.caller.tenant) as connection:
        return await scope_of(connection, memory.caller, RecallRequest("anything", project=PROJECT))


@asynccontextmanager
async def _baseline(settings: Settings, scope: Scope) -> AsyncIterator[Baseline]:
    """Prepare the baseline's statements on their own connection, with the service's role."""
    location = await locate_ledger(settings)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(location.close)
        database = await Database.open(location.service_url, size=1)
        stack.push_async_callback(database.close)
        connection = await stack.enter_async_context(database.reading(scope.tenant))
        (project,) = scope.projects
        indexes = await valid_indexes(connection)
        yield await Baseline.prepare(connection, indexes.get(project))
