"""The ingest pipeline: look documents up, embed the next ones, and write those before them, all at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from app.domain.artifact import Document
from app.embedding import Embedder
from app.errors import Unavailable
from app.services.filing.batch_writer import BatchWriter
from app.services.filing.prepare import (
    KnownVectors,
    PreparedDocument,
    check_limits,
    content_hash,
    entity_key,
    prepare,
)
from app.services.filing.write_document import FiledDocument

Origin = TypeVar("Origin")


@dataclass(frozen=True, slots=True)
class DocumentBatch(Generic[Origin]):
    """Documents to be filed in order, such as the versions of one, and where they come from."""

    origin: Origin
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Hashed:
    """A document and the hash of its content."""

    document: Document
    hash: str

    @property
    def key(self) -> str:
        """The key that the document is filed under."""
        return entity_key(self.document, self.hash)


def hash_documents(documents: Sequence[Document]) -> list[Hashed] | Exception:
    """Return documents with their hashes, or the error why one of them cannot be filed."""
    try:
        for document in documents:
            check_limits(document)
        return [Hashed(document, content_hash(document)) for document in documents]
    except Exception as error:
        return error


Outcome: TypeAlias = list[FiledDocument] | Exception
Ready: TypeAlias = FiledDocument | list[PreparedDocument] | Exception
_Found: TypeAlias = "FiledDocument | list[Hashed] | Exception"

Come = TypeVar("Come")

MAX_BATCH_SIZE = 32
MAX_PASSAGES_IN_BATCH = 256
"""Embedding so many takes seconds: a user who watches or stops an import should not wait longer."""


Look: TypeAlias = Callable[[Sequence[Hashed]], Awaitable[list[FiledDocument | None]]]
"""Returns, for each document whose latest version is the same, the result of its filing."""

Known: TypeAlias = Callable[[str], Awaitable[KnownVectors]]
"""Returns the vectors of a document's latest version, by its key."""


MAX_RECENT = 8


class _RecentVectors:
    """The vectors of the documents prepared last, whose next versions may come before these are written."""

    def __init__(self) -> None:
        self.vectors: dict[str, KnownVectors] = {}
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def turn(self, key: str) -> asyncio.Lock:
        """Return the lock under which the versions of a document are prepared, in their order."""
        return self._turns.setdefault(key, asyncio.Lock())

    def keep(self, key: str, vectors: KnownVectors) -> None:
        """Keep the vectors of a document, and forget those of the one kept longest."""
        self.vectors.pop(key, None)
        self.vectors[key] = vectors
        if len(self.vectors) > MAX_RECENT:
            del self.vectors[next(iter(self.vectors))]


@dataclass(frozen=True, slots=True)
class IngestPipeline(Generic[Origin]):
    """Files documents of one caller into one project: looks up, prepares `width` at once, and writes them.

    `done` receives the outcome of each batch, in the order of the batches.
    """

    look: Look
    known: Known
    embedder: Embedder
    writer: BatchWriter
    width: int
    done: Callable[[Origin, Outcome], None]
    stop: asyncio.Event
    recent: _RecentVectors = field(default_factory=_RecentVectors)

    async def run(self, batches: AsyncIterator[DocumentBatch[Origin]]) -> bool:
        """File all batches, and return whether the import was stopped.

        The first transactions hold few documents, so that the first results come soon.
        """
        looked: asyncio.Queue[_LookedUp[Origin] | None] = asyncio.Queue(MAX_BATCH_SIZE)
        coming: asyncio.Queue[_Coming[Origin] | None] = asyncio.Queue(MAX_BATCH_SIZE)
        try:
            async with asyncio.TaskGroup() as group:
                ahead = (
                    group.create_task(self._look_ahead(batches, looked)),
                    group.create_task(self._prepare_all(looked, coming)),
                )
                was_stopped = await self._write_all(coming)
                for each in ahead:
                    each.cancel()
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return was_stopped

    async def _look_ahead(
        self, batches: AsyncIterator[DocumentBatch[Origin]], looked: asyncio.Queue[_LookedUp[Origin] | None]
    ) -> None:
        most, together = self.width, list[DocumentBatch[Origin]]()
        async for batch in batches:
            together.append(batch)
            if len(together) == most:
                for each in await self._look_up(together):
                    await looked.put(each)
                most, together = min(2 * most, MAX_BATCH_SIZE), []
        for each in await self._look_up(together):
            await looked.put(each)
        await looked.put(None)

    async def _look_up(self, batches: Sequence[DocumentBatch[Origin]]) -> list[_LookedUp[Origin]]:
        """Look up batches of one document; of several versions only the last could be there already."""
        every = [hash_documents(batch.documents) for batch in batches]
        alone = [each[0] for each in every if isinstance(each, list) and len(each) == 1]
        found = iter(await self._find_filed(alone) if alone else [])
        return [
            _LookedUp(
                batch.origin,
                (next(found) or each) if isinstance(each, list) and len(each) == 1 else each,
            )
            for batch, each in zip(batches, every, strict=True)
        ]

    async def _find_filed(self, alone: Sequence[Hashed]) -> list[FiledDocument | None]:
        """Look documents up; if that fails, writing them will report for which of them and why."""
        try:
            return await self.look(alone)
        except Exception as error:
            if isinstance(error, Unavailable):
                await self.writer.require_ledger()
            return [None] * len(alone)

    async def _prepare_all(
        self,
        looked: asyncio.Queue[_LookedUp[Origin] | None],
        coming: asyncio.Queue[_Coming[Origin] | None],
    ) -> None:
        slots = asyncio.Semaphore(self.width)
        async with asyncio.TaskGroup() as group:
            while (each := await looked.get()) is not None:
                await slots.acquire()
                await coming.put(_Coming(each.origin, group.create_task(self._ready(each.found, slots))))
            await coming.put(None)

    async def _ready(self, found: _Found, slots: asyncio.Semaphore) -> Ready:
        try:
            if not isinstance(found, list):
                return found
            return await self._prepare(found)
        except Exception as error:
            return error
        finally:
            slots.release()

    async def _prepare(self, versions: Sequence[Hashed]) -> list[PreparedDocument]:
        """Prepare the versions of a document; a passage that one before it has too is embedded once."""
        key, ready = versions[0].key, []
        async with self.recent.turn(key):
            known = self.recent.vectors.get(key) or await self.known(key)
            for each in versions:
                prepared, known = await prepare(each.document, each.hash, self.embedder, known)
                ready.append(prepared)
            self.recent.keep(key, known)
        return ready

    async def _write_all(self, coming: asyncio.Queue[_Coming[Origin] | None]) -> bool:
        most, is_last = self.width, False
        while not is_last and not self.stop.is_set():
            ready, is_last = await self._next(coming, most)
            if self.stop.is_set():
                break
            await self._write(ready)
            most = min(2 * most, MAX_BATCH_SIZE)
        return self.stop.is_set()

    async def _next(
        self, coming: asyncio.Queue[_Coming[Origin] | None], most: int
    ) -> tuple[list[tuple[Origin, Ready]], bool]:
        """Return the next documents to write, and whether they are the last."""
        found: list[tuple[Origin, Ready]] = []
        passages = 0
        while len(found) < most and passages < MAX_PASSAGES_IN_BATCH:
            following = await self._unless_stopped(coming.get())
            if following is None:
                return found, True
            ready = await self._unless_stopped(following.ready)
            if ready is None:
                return found, True
            found.append((following.origin, ready))
            passages += sum(len(each.passages) for each in ready) if isinstance(ready, list) else 0
        return found, False

    async def _unless_stopped(self, awaited: Awaitable[Come]) -> Come | None:
        """Return the awaited value, or None as soon as the import is stopped."""
        coming, stopping = asyncio.ensure_future(awaited), asyncio.ensure_future(self.stop.wait())
        try:
            await asyncio.wait((coming, stopping), return_when=asyncio.FIRST_COMPLETED)
            return coming.result() if coming.done() else None
        finally:
            coming.cancel()
            stopping.cancel()

    async def _write(self, ready: Sequence[tuple[Origin, Ready]]) -> None:
        # The outcome of a share is reported before the next share: that one may find the ledger gone.
        written = self.writer.file_all([each for _, each in ready if isinstance(each, list)])
        for origin, each in ready:
            if isinstance(each, Unavailable):
                await self.writer.require_ledger()
            if isinstance(each, list):
                self.done(origin, await anext(written))
            else:
                self.done(origin, each if isinstance(each, Exception) else [each])


@dataclass(frozen=True, slots=True)
class _LookedUp(Generic[Origin]):
    origin: Origin
    found: _Found


@dataclass(frozen=True, slots=True)
class _Coming(Generic[Origin]):
    origin: Origin
    ready: asyncio.Task[Ready]
