"""Fill the scratch ledger, and in turn only embed similar documents, to compare filing with its encoder."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TypeVar

from app.benchmark.corpus import SEED, Body, made_of, read_corpus
from app.domain.artifact import Document
from app.services.container import Memory
from app.services.filing.pipeline import DocumentBatch, Outcome
from app.services.maintenance.periodic import index_ledger
from app.services.parsing import cut_passages, passage_text_for_encoder
from app.settings import Settings
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.location import locate_ledger


@dataclass(frozen=True, slots=True)
class Made:
    """A document, its number and the body it was made of."""

    number: int
    body: Body
    document: Document


class Making:
    """Makes documents; runs that request the same numbers in turn get the same ones."""

    def __init__(self, maker: Connection) -> None:
        self._maker = maker

    def begin(self, numbers: Iterable[int]) -> asyncio.Task[list[Made]]:
        """Begin to make documents of these numbers; await the previous ones first."""
        self._maker.send(list(numbers))
        return asyncio.create_task(asyncio.to_thread(self._maker.recv))


@asynccontextmanager
async def document_maker(documents: int, corpora: Path | None) -> AsyncIterator[Making]:
    """Yield the maker of a run's documents; its process ends with the block."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_make, args=(there, documents, corpora), daemon=True)
    process.start()
    there.close()
    try:
        yield Making(here)
    finally:
        process.terminate()
        await asyncio.to_thread(process.join)
        here.close()


def _make(asked: Connection, documents: int, corpora: Path | None) -> None:
    """Make the requested documents until the requests end; leave interrupts to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, random = read_corpus(documents, corpora).bodies(), Random(SEED)
    with suppress(EOFError):
        while True:
            pairs = zip(asked.recv(), source, strict=False)
            asked.send(
                [Made(number, body, made_of(body, number, documents, random)) for number, body in pairs]
            )


PROJECT = "bench"
FILED_AT_A_TIME = 500
EMBEDDED_AT_A_TIME = 250
MAX_EMBEDDED_ALONE = 5_000
_LAG_EVERY = 0.01

Item = TypeVar("Item")


@dataclass(slots=True)
class Filled:
    """The result of filling; `kept` are the bodies of the documents that are asked for, by number.

    `lags` are the event loop's lags meanwhile, in milliseconds.
    """

    kept: dict[int, Body] = field(default_factory=dict)
    filed: int = 0
    recombined: int = 0
    filing_seconds: float = 0.0
    embedded: int = 0
    embedding_seconds: float = 0.0
    lags: list[float] = field(default_factory=list)

    def keep(self, made: Sequence[Made], asked_for: Collection[int]) -> None:
        """Keep the bodies of documents that are asked for, and count the recombined ones."""
        self.kept |= {each.number: each.body for each in made if each.number in asked_for}
        self.recombined += sum(each.body.is_recombined for each in made)

    @property
    def filed_per_second(self) -> float:
        """Documents filed per second."""
        return self.filed / self.filing_seconds

    @property
    def embedded_per_second(self) -> float:
        """Documents embedded per second, when nothing else is done with them."""
        return self.embedded / self.embedding_seconds


async def fill(
    memory: Memory,
    making: Making,
    count: int,
    asked_for: Collection[int],
    width: int,
    advance: Callable[[int], None],
    *,
    embeds_alone: bool = True,
) -> Filled:
    """File so many documents in blocks, and only embed others after a block; both `width` at once.

    Beyond ten thousand documents, embedding follows only some blocks; without `embeds_alone` it follows none.
    With `embeds_alone`, filing has the processors to itself; else the next documents are made meanwhile.
    `advance` is called with how many are filed.
    """
    filled = Filled()
    ahead: Awaitable[list[Made]] | None = None
    for block, following in pairwise([*_blocks(count, embeds_alone=embeds_alone), None]):
        assert block is not None
        made = await (ahead or making.begin(block.numbers))
        ahead = making.begin(following.numbers) if following and not embeds_alone else None
        filled.keep(made[: block.filed], asked_for)
        documents = [each.document for each in made]
        async with _lag_noted(filled.lags):
            filled.filing_seconds += await _file_all(memory, documents[: block.filed], width)
        filled.embedding_seconds += await _embed_all(memory, documents[block.filed :], width)
        filled.filed += block.filed
        filled.embedded += block.alone
        advance(filled.filed)
    return filled


@dataclass(frozen=True, slots=True)
class _Block:
    """A block: the first number, how many documents are filed, and how many are then only embedded."""

    first: int
    filed: int
    alone: int

    @property
    def numbers(self) -> list[int]:
        """The numbers of the block's documents; those only embedded follow the filed ones."""
        last = self.first + self.filed - 1
        return [*range(self.first, last + 1), *([last] * self.alone)]


def _blocks(count: int, *, embeds_alone: bool) -> list[_Block]:
    block = min(FILED_AT_A_TIME, count)
    alone = min(EMBEDDED_AT_A_TIME, block) if embeds_alone else 0
    every = max(1, ceil(count / block * alone / MAX_EMBEDDED_ALONE))
    return [
        _Block(first, min(block, count + 1 - first), alone if place % every == 0 else 0)
        for place, first in enumerate(range(1, count + 1, block))
    ]


@asynccontextmanager
async def _lag_noted(lags: list[float]) -> AsyncIterator[None]:
    """Measure the event loop's lag periodically during the block."""

    async def watch() -> None:
        while True:
            due = perf_counter() + _LAG_EVERY
            await asyncio.sleep(_LAG_EVERY)
            lags.append((perf_counter() - due) * 1000)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()


async def _file_all(memory: Memory, documents: Sequence[Document], width: int) -> float:
    """File documents as an import does and return the seconds it took."""

    async def batches() -> AsyncIterator[DocumentBatch[None]]:
        for document in documents:
            yield DocumentBatch(None, (document,))

    def done(_: None, outcome: Outcome) -> None:
        if isinstance(outcome, Exception):
            raise outcome

    started = perf_counter()
    await memory.filing.file_all(memory.caller, batches(), PROJECT, width=width, done=done)
    return perf_counter() - started


async def _embed_all(memory: Memory, documents: Sequence[Document], width: int) -> float:
    """Embed the passages of documents, split beforehand, and return the seconds it took."""
    texts = [_passages(memory, document) for document in documents]
    return await _seconds(memory.embedder.embed_passages, texts, width)


def _passages(memory: Memory, document: Document) -> list[str]:
    embedder = memory.embedder
    passages = cut_passages(
        document.title, document.body, embedder.piece_offsets, embedder.longest_passage - 2
    )
    return [passage_text_for_encoder(document.title, passage) for passage in passages]


async def _seconds(work: Callable[[Item], Awaitable[object]], items: Sequence[Item], width: int) -> float:
    remaining = iter(items)

    async def worker() -> None:
        for item in remaining:
            await work(item)

    started = perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(width):
            group.create_task(worker())
    return perf_counter() - started


async def settle(settings: Settings, large: int) -> float:
    """Vacuum now, as the server would otherwise do a minute after a large import, during the timing.

    Returns the seconds it took to index a large project.
    """
    started = perf_counter()
    await index_ledger(settings, large)
    took = perf_counter() - started
    location = await locate_ledger(settings)
    try:
        async with owner_connection(location.url, seconds=None) as owner:
            await owner.execute("VACUUM (ANALYZE)")
    finally:
        await location.close()
    return took
