"""Documents on their way into the ledger: the next ones are embedded while those before them are written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from app.domain.artifact import Document
from app.embedding import Embedder
from app.errors import Unavailable
from app.services.filing.batch_writer import BatchWriter
from app.services.filing.prepare import PreparedDocument, check_limits, content_hash, entity_key, prepare
from app.services.filing.write_document import FiledDocument

Origin = TypeVar("Origin")


@dataclass(frozen=True, slots=True)
class DocumentBatch(Generic[Origin]):
    """Where documents come from, and those to be filed in order, such as the versions of one."""

    origin: Origin
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Hashed:
    """A document and the hash of its content."""

    document: Document
    hash: str

    @property
    def key(self) -> str:
        """The key it is filed under."""
        return entity_key(self.document, self.hash)


def hashed(documents: Sequence[Document]) -> list[Hashed] | Exception:
    """Return documents with their hashes, or why one of them cannot be filed."""
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
"""Embedding these takes seconds: whoever watches or stops an import should not wait longer."""


Look: TypeAlias = Callable[[Sequence[Hashed]], Awaitable[list[FiledDocument | None]]]
"""Answers what documents left whose latest versions say the same as they do."""


@dataclass(frozen=True, slots=True)
class IngestPipeline(Generic[Origin]):
    """How documents of one caller come into one project: looked up, prepared `width` at once, and written.

    `done` is told of each shipment what became of it, in the order in which they come.
    """

    look: Look
    embedder: Embedder
    writer: BatchWriter
    width: int
    done: Callable[[Origin, Outcome], None]
    stop: asyncio.Event

    async def run(self, shipments: AsyncIterator[DocumentBatch[Origin]]) -> bool:
        """File everything that comes, and answer whether somebody stopped it.

        The first transactions hold few documents, so that something is there soon.
        """
        looked: asyncio.Queue[_Looked[Origin] | None] = asyncio.Queue(MAX_BATCH_SIZE)
        coming: asyncio.Queue[_Coming[Origin] | None] = asyncio.Queue(MAX_BATCH_SIZE)
        try:
            async with asyncio.TaskGroup() as group:
                ahead = (
                    group.create_task(self._look_ahead(shipments, looked)),
                    group.create_task(self._prepare_all(looked, coming)),
                )
                was_stopped = await self._write_all(coming)
                for each in ahead:
                    each.cancel()
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return was_stopped

    async def _look_ahead(
        self, shipments: AsyncIterator[DocumentBatch[Origin]], looked: asyncio.Queue[_Looked[Origin] | None]
    ) -> None:
        most, together = self.width, list[DocumentBatch[Origin]]()
        async for shipment in shipments:
            together.append(shipment)
            if len(together) == most:
                for each in await self._looked_at(together):
                    await looked.put(each)
                most, together = min(2 * most, MAX_BATCH_SIZE), []
        for each in await self._looked_at(together):
            await looked.put(each)
        await looked.put(None)

    async def _looked_at(self, shipments: Sequence[DocumentBatch[Origin]]) -> list[_Looked[Origin]]:
        """Look up documents that come alone; of several versions only the last could be there already."""
        every = [hashed(shipment.documents) for shipment in shipments]
        alone = [each[0] for each in every if isinstance(each, list) and len(each) == 1]
        found = iter(await self._left_by(alone) if alone else [])
        return [
            _Looked(
                shipment.origin,
                (next(found) or each) if isinstance(each, list) and len(each) == 1 else each,
            )
            for shipment, each in zip(shipments, every, strict=True)
        ]

    async def _left_by(self, alone: Sequence[Hashed]) -> list[FiledDocument | None]:
        """Look documents up; where that fails it is for the writing to tell for which of them and why."""
        try:
            return await self.look(alone)
        except Exception as error:
            if isinstance(error, Unavailable):
                await self.writer.demand_a_ledger()
            return [None] * len(alone)

    async def _prepare_all(
        self,
        looked: asyncio.Queue[_Looked[Origin] | None],
        coming: asyncio.Queue[_Coming[Origin] | None],
    ) -> None:
        hands = asyncio.Semaphore(self.width)
        async with asyncio.TaskGroup() as group:
            while (each := await looked.get()) is not None:
                await hands.acquire()
                await coming.put(_Coming(each.origin, group.create_task(self._ready(each.found, hands))))
            await coming.put(None)

    async def _ready(self, found: _Found, hands: asyncio.Semaphore) -> Ready:
        try:
            if not isinstance(found, list):
                return found
            return [await prepare(each.document, each.hash, self.embedder) for each in found]
        except Exception as error:
            return error
        finally:
            hands.release()

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
        """Return what is written next, and whether nothing comes after it."""
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
        """Return what is awaited, or None as soon as somebody asks for an end."""
        coming, stopping = asyncio.ensure_future(awaited), asyncio.ensure_future(self.stop.wait())
        try:
            await asyncio.wait((coming, stopping), return_when=asyncio.FIRST_COMPLETED)
            return coming.result() if coming.done() else None
        finally:
            coming.cancel()
            stopping.cancel()

    async def _write(self, ready: Sequence[tuple[Origin, Ready]]) -> None:
        # What a share of them left is told before the next: that one may find the ledger gone.
        written = self.writer.file_all([each for _, each in ready if isinstance(each, list)])
        for origin, each in ready:
            if isinstance(each, Unavailable):
                await self.writer.demand_a_ledger()
            if isinstance(each, list):
                self.done(origin, await anext(written))
            else:
                self.done(origin, each if isinstance(each, Exception) else [each])


@dataclass(frozen=True, slots=True)
class _Looked(Generic[Origin]):
    origin: Origin
    found: _Found


@dataclass(frozen=True, slots=True)
class _Coming(Generic[Origin]):
    origin: Origin
    ready: asyncio.Task[Ready]
