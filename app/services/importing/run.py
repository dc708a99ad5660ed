"""A running import: it passes a batch of documents to filing and counts the outcomes."""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeAlias

from app.domain.artifact import Artifact, Document
from app.domain.entity import Caller
from app.errors import TrigraphError, Unavailable
from app.services.filing import DEFAULT_PROJECT, FiledDocument
from app.services.filing.pipeline import DocumentBatch, Outcome
from app.services.filing.prepare import content_hash, entity_key
from app.services.importing.history.model import History, versions_to_file
from app.services.importing.items import ItemStream, Readable, Refusal, Skipped
from app.services.importing.name_collisions import Collision, homonyms_of
from app.services.importing.request import ImportSummary
from app.services.parsing.kind_and_title import numbered_path, without_year
from app.services.parsing.vocabulary import vocabulary
from app.stores.postgres.pool import Database

MAX_VERSIONS_AT_ONCE = 16
"""So many versions of one document are written together."""

_DEFINED = "defined the kind "
_LOG = logging.getLogger(__name__)


async def _settle_nothing(summary: ImportSummary) -> None:
    """Do nothing: what an import does not hold says nothing of the ledger."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents to be read one after the other, what is known before they are read, and their history.

    `warnings` concern the whole batch, each with its place; `unread` counts files that are not read, by their
    endings. `settle` follows when everything is filed: it looks for what is gone.
    """

    items: ItemStream
    total: int
    history: History = field(default_factory=History)
    refused: tuple[Refusal, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    collisions: tuple[Collision, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()
    unread: Mapping[str, int] = field(default_factory=dict)
    settle: Callable[[ImportSummary], Awaitable[None]] = _settle_nothing


Report: TypeAlias = Callable[[str, FiledDocument], None]
"""Receives the place of each document that is there after an import, and the document."""


def report_nothing(source: str, filed: FiledDocument) -> None:
    """Do nothing: the summary is enough."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of an import: its number, from 0, and its place; the last part of a long one is its end."""

    place: int
    source: str
    is_end: bool = True


class Run:
    """A running import, with the documents seen so far and their outcomes."""

    def __init__(
        self,
        database: Database,
        caller: Caller,
        project: str | None,
        summary: ImportSummary,
        watch: Callable[[ImportSummary], None],
        batch: Batch,
        stop: asyncio.Event,
        report: Report,
    ) -> None:
        self._database = database
        self._report = report
        self._history = batch.history
        self.homonyms = homonyms_of(batch.collisions)
        self.project_key = DEFAULT_PROJECT if project is None else project
        self._seen: dict[str, tuple[str, str]] = {}
        self._refused: list[int] = []
        self._created: set[int] = set()
        self._failed: set[int] = set()
        self.caller = caller
        self.summary = summary
        self.watch = watch
        self._stop = stop

    def _refuse(self, place: int, refusal: Refusal) -> None:
        """List a refusal in the order in which the items were read."""
        at = bisect(self._refused, place)
        if self.summary.refuse(refusal, at):
            self._refused.insert(at, place)
        self.watch(self.summary)

    def _clash(self, item: Readable) -> str | None:
        """Return why a document cannot be filed beside an earlier one of this import, or None.

        Two texts under one name would be taken for two versions, again at every import.
        """
        hashed = content_hash(item.document)
        key = entity_key(item.document, hashed)
        first, content = self._seen.setdefault(key, (item.source, hashed))
        if content == hashed:
            return None
        name = _display_name(item.document)
        return f"{name} is in {first} with another text; give one of them another name"

    async def document_batches(self, items: ItemStream) -> AsyncIterator[DocumentBatch[Item]]:
        """Yield each document with the earlier versions of its history; count the refusals."""
        place = count()
        async for item in items:
            if self._stop.is_set():
                return
            origin = Item(next(place), item.source)
            if isinstance(item, Refusal):
                self._refuse(origin.place, item)
            else:
                for part in await self._document_batches(origin, item):
                    yield part

    async def _document_batches(self, origin: Item, item: Readable) -> list[DocumentBatch[Item]]:
        """Return the versions of a document to file; a long history comes in parts, written one by one."""
        try:
            if (clash := self._clash(item)) is not None:
                self._refuse(origin.place, Refusal(item.source, clash))
                return []
            versions = await versions_to_file(
                self._database, self.caller.tenant, self.project_key, item.document, self._history
            )
        except Unavailable:
            raise
        except Exception as error:
            self.count(origin, error)
            return []
        if not versions:
            self.summary.unchanged += 1
            self.watch(self.summary)
        starts = range(0, len(versions), MAX_VERSIONS_AT_ONCE)
        return [
            DocumentBatch(
                replace(origin, is_end=start == starts[-1]),
                tuple(versions[start : start + MAX_VERSIONS_AT_ONCE]),
            )
            for start in starts
        ]

    def count(self, origin: Item, outcome: Outcome) -> None:
        """Count the outcome of filing a document, or a part of one."""
        if isinstance(outcome, Exception):
            if origin.place not in self._failed:
                self._refuse(origin.place, Refusal(origin.source, _reason(origin.source, outcome)))
            self._failed.add(origin.place)
            return
        if any(each.created for each in outcome):
            self._created.add(origin.place)
        if any(each.is_back for each in outcome):
            self.summary.back.append(origin.source)
        if origin.is_end and origin.place not in self._failed:
            self._count_whole(origin, outcome)
        self.watch(self.summary)

    def _note_gaps(self, source: str, artifact: Artifact) -> None:
        """List a document without a date, and a numbered one without a kind."""
        if artifact.is_undated:
            self.summary.undated.append(source)
        if _lacks_kind(source, artifact):
            self.summary.unnamed_kinds.append(source)

    def _count_whole(self, origin: Item, outcome: Sequence[FiledDocument]) -> None:
        """Count a document whose versions are all there; warnings are those of its present text."""
        if origin.place in self._created:
            self.summary.filed += 1
            self._note_gaps(origin.source, outcome[-1].artifact)
        else:
            self.summary.unchanged += 1
        self._report(origin.source, replace(outcome[-1], created=origin.place in self._created))
        warnings = dict.fromkeys(outcome[-1].warnings)
        self.summary.warn(origin.source, (each for each in warnings if not each.startswith(_DEFINED)))


def _lacks_kind(source: str, artifact: Artifact) -> bool:
    """Return whether the file of a document has a number, and nothing says of which kind it is."""
    default = vocabulary().default_kind
    numbered = numbered_path(source, frozenset()) if artifact.kind == default else None
    return numbered is not None and without_year(numbered, None) is not None


def _reason(source: str, error: Exception) -> str:
    if isinstance(error, TrigraphError):
        return error.message
    _LOG.error("%s could not be filed", source, exc_info=error)
    return f"it could not be filed: {type(error).__name__}: {error}"


def _display_name(document: Document) -> str:
    return document.identifier or document.source_uri or document.title
