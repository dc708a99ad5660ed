"""One run: fill, time, ask with many clients, profile; nothing of it stays."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import count
from pathlib import Path
from random import Random

from app.domain.artifact import Document
from app.domain.recall import RecallRequest
from app.services.benchmarking.client import RecallClient
from app.services.benchmarking.corpus import SEED, read_corpus
from app.services.benchmarking.documents import Body, made_of
from app.services.benchmarking.filling import PROJECT, Filled, fill
from app.services.benchmarking.home import scratch_home
from app.services.benchmarking.leg_rows import LegRows
from app.services.benchmarking.machine import describe_machine
from app.services.benchmarking.profile import profile_recall
from app.services.benchmarking.questions import AskedFor, Wordings, make_questions, spread
from app.services.benchmarking.recall_rows import RecallRows
from app.services.benchmarking.report import Report, ratios_of
from app.services.benchmarking.serving import served
from app.services.benchmarking.throughput import SECONDS, measure_throughput
from app.services.benchmarking.timing import REPEATS, percentiles, time_rows
from app.services.memory import Memory, open_memory
from app.services.recall.scoping import scope_of
from app.settings import Settings
from app.stores.postgres.floor import Floor
from app.stores.postgres.location import locate_ledger
from app.stores.postgres.owner_connection import owner_connection
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope

FILED_ALONE = 20

Advance = Callable[[str, int, int | None], None]
"""Told of a step's name, how much of it is done and how much there is; None when nobody knows."""


async def run_benchmark(
    settings: Settings, documents: int, corpora: Path | None, advance: Advance, seconds: float = SECONDS
) -> Report:
    """Measure with so many documents and answer every figure; `seconds` is how long many clients ask.

    Raises Invalid for a number that is too small or too large, and for a folder without texts.
    """
    corpus = read_corpus(documents, corpora)
    machine = describe_machine()
    async with scratch_home(settings) as scratch, open_memory(scratch) as memory:
        run = _Run(scratch, memory, advance)
        random = Random(SEED)
        source = corpus.bodies()
        filled = await run.fill(source, documents, random)
        await _settle(scratch)
        questions = make_questions(filled.kept, SEED)
        newcomers = (made_of(next(source), number, documents, random) for number in count(documents + 1))
        wordings = Wordings()
        async with served(scratch.home) as url:
            rows = await run.time(url, questions, wordings, newcomers)
            throughput = await measure_throughput(
                url, questions, wordings, seconds, run.step("asking with many clients", None)
            )
        profile = await profile_recall(
            memory, scratch, questions, wordings, run.step("profiling", len(questions))
        )
    figures = {name: percentiles(found) for name, found in rows.items()}
    bulk = {
        "filed_per_second": round(filled.filed_per_second, 2),
        "embedded_per_second": round(filled.embedded_per_second, 2),
    }
    described = corpus.described() | {
        "recombined": filled.recombined,
        "questions": len(questions),
        "repeats": REPEATS,
    }
    return Report(documents, figures, ratios_of(figures, bulk), throughput, bulk, profile, machine, described)


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

    async def fill(self, source: Iterator[Body], documents: int, random: Random) -> Filled:
        """File the documents, as many at once as an import does."""
        width = self._settings.embedding_threads + 1
        told: Callable[[int], None] = partial(self._told_filled, documents)
        return await fill(self._memory, source, documents, spread(documents), width, random, told)

    async def time(
        self, url: str, questions: Sequence[AskedFor], wordings: Wordings, newcomers: Iterator[Document]
    ) -> dict[str, list[float]]:
        """Time every row, those that read before the one that files, which changes what is read."""
        scope = await _scope(self._memory)
        async with AsyncExitStack() as stack:
            floor = await stack.enter_async_context(_floor(self._settings, scope))
            client = await stack.enter_async_context(RecallClient.connected(url))
            recalls = RecallRows(self._memory, scope, floor, client, wordings, newcomers)
            rows = {**recalls.rows(), **LegRows(self._memory, scope).rows()}
            total = REPEATS * len(questions)
            timed = await time_rows(rows, questions, self.step("timing", total))
            alone = questions[:FILED_ALONE]
            filing = self.step("filing one by one", REPEATS * len(alone))
            return timed | await time_rows({"file_one": recalls.file_one}, alone, filing)

    def _told_filled(self, documents: int, filed: int) -> None:
        self._advance("filling", filed, documents)


async def _settle(settings: Settings) -> None:
    """Tidy up now, as the server would by itself a minute after a large import and amid the timing."""
    location = await locate_ledger(settings)
    try:
        async with owner_connection(location.url) as owner:
            await owner.execute("VACUUM (ANALYZE)")
    finally:
        await location.close()


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
        yield await Floor.prepare(connection)
