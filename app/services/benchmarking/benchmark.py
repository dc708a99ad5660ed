"""One run: fill, time, ask with many clients, profile; nothing of it stays."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

from app.domain.recall import RecallRequest
from app.services.benchmarking.client import RecallClient
from app.services.benchmarking.corpus import SEED, read_corpus
from app.services.benchmarking.dense_recall import dense_recall
from app.services.benchmarking.documents import Body
from app.services.benchmarking.filling import PROJECT, Filled, fill
from app.services.benchmarking.home import hurried, scratch_home
from app.services.benchmarking.leg_rows import LegRows
from app.services.benchmarking.machine import describe_machine
from app.services.benchmarking.making import Made, Making, making
from app.services.benchmarking.processor_time import against_bound, floor_milliseconds
from app.services.benchmarking.profile import profile_recall
from app.services.benchmarking.questions import AskedFor, Wordings, make_questions, spread
from app.services.benchmarking.recall_rows import RecallRows
from app.services.benchmarking.report import Report, ratios_of
from app.services.benchmarking.serving import served
from app.services.benchmarking.settling import settle
from app.services.benchmarking.synthetic import open_synthetic
from app.services.benchmarking.throughput import SECONDS, measure_throughput
from app.services.benchmarking.timing import REPEATS, percentiles, time_rows
from app.services.filing import FilingService
from app.services.indexing import LARGE
from app.services.memory import Memory, open_memory
from app.services.recall.scoping import scope_of
from app.settings import Settings
from app.stores.postgres.floor import Floor
from app.stores.postgres.location import locate_ledger
from app.stores.postgres.pool import Database
from app.stores.postgres.postmaster import most_processes
from app.stores.postgres.scope import Scope
from app.stores.postgres.vector_indexes import valid_indexes

FILED_ALONE = 20

Advance = Callable[[str, int, int | None], None]
"""Told of a step's name, how much of it is done and how much there is; None when nobody knows."""


async def run_benchmark(
    settings: Settings,
    documents: int,
    corpora: Path | None,
    advance: Advance,
    seconds: float = SECONDS,
    *,
    synthetic: bool = False,
    large: int = LARGE,
) -> Report:
    """Measure with so many documents and answer every figure; `seconds` is how long many clients ask.

    Unless `synthetic`, the encoder makes every vector. From `large` vectors on the project has an index.
    Raises Invalid for a number that is too small or too large, and for a folder without texts.
    """
    corpus = read_corpus(documents, corpora)
    machine = describe_machine()
    async with (
        scratch_home(settings) as scratch,
        open_memory(scratch) as memory,
        making(documents, corpora) as maker,
    ):
        run = _Run(scratch, memory, advance)
        filled = await run.fill(maker, documents, corpus.stretches if synthetic else ())
        bulk = _bulk(filled, await settle(scratch, large))
        questions = make_questions(filled.kept, SEED)
        newcomers = await maker.begin(range(documents + 1, documents + 1 + REPEATS * FILED_ALONE))
        wordings = Wordings()
        async with served(scratch.home) as url:
            rows, recall, milliseconds = await run.time(url, questions, wordings, newcomers)
        throughput = await run.ask_as_many(questions, wordings, seconds)
        throughput |= against_bound(throughput["requests_per_second"], milliseconds)
        profile = await profile_recall(
            memory, scratch, questions, wordings, run.step("profiling", len(questions))
        )
    figures = {name: percentiles(found) for name, found in rows.items()}
    ratios = {**ratios_of(figures, bulk), "dense_recall_at_50": recall}
    described = corpus.described() | {
        "vectors": "synthetic, mixed of real ones" if synthetic else "the encoder's",
        "recombined": filled.recombined,
        "questions": len(questions),
        "repeats": REPEATS,
    }
    return Report(documents, figures, ratios, throughput, bulk, profile, machine, described)


class _Run:
    """The steps of a run, on one scratch ledger."""

    def __init__(self, settings: Settings, memory: Memory, advance: Advance) -> None:
        self._settings = settings
        self._memory = memory
        self._advance = advance

    def step(self, name: str, total: int | None) -> Callable[[], None]:
        """Answer what counts one more of a step."""
        done = count(1)
        return lambda: self._advance(name, next(done), total)

    async def fill(self, maker: Making, documents: int, mixed_of: Sequence[Body]) -> Filled:
        """File the documents, as many at once as an import does; their vectors may be mixed of others."""
        width = self._settings.embedding_threads + 1
        told: Callable[[int], None] = partial(self._told_filled, documents)
        memory = self._memory
        if not mixed_of:
            return await fill(memory, maker, documents, spread(documents), width, told)
        mixing = await open_synthetic(memory.embedder, mixed_of)
        memory = replace(memory, filing=FilingService(memory.database, mixing))
        async with hurried(self._settings):
            return await fill(memory, maker, documents, spread(documents), width, told, embeds_alone=False)

    async def time(
        self, url: str, questions: Sequence[AskedFor], wordings: Wordings, newcomers: Sequence[Made]
    ) -> tuple[dict[str, list[float]], float, float | None]:
        """Time every row, those that read before the one that files, which changes what is read.

        Answers beside the rows what the dense leg finds of what is nearest, and the processor's milliseconds
        for one answer of the floor.
        """
        scope = await _scope(self._memory)
        async with AsyncExitStack() as stack:
            floor = await stack.enter_async_context(_floor(self._settings, scope))
            client = await stack.enter_async_context(RecallClient.connected(url))
            recalls = RecallRows(
                self._memory, scope, floor, client, wordings, (each.document for each in newcomers)
            )
            legs = LegRows(self._memory, scope)
            rows = {**recalls.rows(), **legs.rows()}
            total = REPEATS * len(questions)
            timed = await time_rows(rows, questions, self.step("timing", total))
            recall = await dense_recall(legs, questions, self.step("counting what is found", len(questions)))
            milliseconds = await floor_milliseconds(floor, self._memory, scope, questions, wordings)
            alone = questions[:FILED_ALONE]
            filing = self.step("filing one by one", REPEATS * len(alone))
            timed |= await time_rows({"file_one": recalls.file_one}, alone, filing)
            return timed, recall, milliseconds

    async def ask_as_many(
        self, questions: Sequence[AskedFor], wordings: Wordings, seconds: float
    ) -> dict[str, float]:
        """Let many clients ask a service that has a worker for each processor."""
        workers = min(os.cpu_count() or 1, most_processes(self._settings.pool_size))
        told = self.step("asking with many clients", None)
        async with served(self._settings.home, workers) as url:
            measured = await measure_throughput(url, questions, wordings, seconds, told)
        return {"workers": workers, **measured}

    def _told_filled(self, documents: int, filed: int) -> None:
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
    """Answer everything that is filed, as of now."""
    async with memory.database.reading(memory.caller.tenant) as connection:
        return await scope_of(connection, memory.caller, RecallRequest("anything", project=PROJECT))


@asynccontextmanager
async def _floor(settings: Settings, scope: Scope) -> AsyncIterator[Floor]:
    """Prepare the bare statements on a connection of their own, under the role that the service has."""
    location = await locate_ledger(settings)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(location.close)
        database = await Database.open(location.service_url, size=1)
        stack.push_async_callback(database.close)
        connection = await stack.enter_async_context(database.reading(scope.tenant))
        (project,) = scope.projects
        indexes = await valid_indexes(connection)
        yield await Floor.prepare(connection, indexes.get(project))
