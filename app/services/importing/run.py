"""One import while it runs."""

from __future__ import annotations

import asyncio
import logging
import re
from bisect import bisect
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

from app.domain.artifact import Document
from app.domain.entity import Caller
from app.domain.identifier import identifier_key
from app.errors import TrigraphError, Unavailable
from app.services.filing import DEFAULT_PROJECT
from app.services.filing.pipeline import DocumentBatch, Outcome
from app.services.filing.prepare import content_hash, entity_key
from app.services.importing.history.model import versions_to_file
from app.services.importing.items import MAX_LISTED, ItemStream, Readable, Refusal, Skipped
from app.services.importing.name_collisions import Collision
from app.services.importing.request import Batch
from app.services.unit_of_work import Homonyms
from app.stores.postgres.pool import Database

MAX_EXAMPLES = 3
MAX_SORTS = 100

_PARTICULAR = re.compile(r"'[^']*'|\"[^\"]*\"|\S*[\d/_]\S*")
_SEVERAL = re.compile(r"…(?:,? …)+")


@dataclass(slots=True)
class Warned:
    """Warnings that say the same of different things: how many, and the first few in full."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ImportSummary:
    """Counts and lists of one import, kept while it runs.

    Refusals beyond `MAX_LISTED` are counted in `refused_beyond`. `total` is how many documents and rows there
    are to look at, `skipped` is what was left alone beside them, and `was_stopped` tells that not all were
    looked at. `histories` is how many documents have a history to tell; states of it are recorded or there
    already, and so are aliases that a table tells.
    """

    total: int = 0
    filed: int = 0
    unchanged: int = 0
    refused: list[Refusal] = field(default_factory=list)
    refused_beyond: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    warnings: dict[str, Warned] = field(default_factory=dict)
    collisions: list[Collision] = field(default_factory=list)
    kinds_defined: list[str] = field(default_factory=list)
    was_stopped: bool = False
    histories: int = 0
    histories_seen: int = 0
    states_recorded: int = 0
    states_unchanged: int = 0
    aliases_recorded: int = 0
    aliases_unchanged: int = 0

    @property
    def seen(self) -> int:
        """How many documents were looked at."""
        return self.filed + self.unchanged + self.refused_count

    @property
    def refused_count(self) -> int:
        """How much was refused, with what is not listed."""
        return len(self.refused) + self.refused_beyond

    def refuse(self, refusal: Refusal, at: int | None = None) -> bool:
        """List a refusal at a place, or last; return False where so many are that it is only counted."""
        if len(self.refused) >= MAX_LISTED:
            self.refused_beyond += 1
            return False
        self.refused.insert(len(self.refused) if at is None else at, refusal)
        return True

    def warn(self, source: str, warnings: Iterable[str]) -> None:
        """Count warnings by what they say, whatever they say it of."""
        for warning in warnings:
            sort = _SEVERAL.sub("…", _PARTICULAR.sub("…", warning))
            if sort not in self.warnings and len(self.warnings) >= MAX_SORTS:
                sort = "other warnings"
            warned = self.warnings.setdefault(sort, Warned())
            warned.count += 1
            if len(warned.examples) < MAX_EXAMPLES:
                warned.examples.append(f"{source}: {warning}")


_DEFINED = "defined the kind "
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Item:
    """One of what an import reads: its place among them, from 0, and where it stands."""

    place: int
    source: str


class Run:
    """One import while it runs: what was seen so far, and what became of it."""

    def __init__(
        self,
        database: Database,
        caller: Caller,
        project: str | None,
        summary: ImportSummary,
        watch: Callable[[ImportSummary], None],
        batch: Batch,
        stop: asyncio.Event,
    ) -> None:
        self._database = database
        self._history = batch.history
        self.homonyms = _homonyms(batch.collisions)
        self.project_key = DEFAULT_PROJECT if project is None else project
        self._seen: dict[str, tuple[str, str]] = {}
        self._refused: list[int] = []
        self.caller = caller
        self.summary = summary
        self.watch = watch
        self._stop = stop

    def _refuse(self, place: int, refusal: Refusal) -> None:
        """List a refusal in the order of what was read, whichever was known first."""
        at = bisect(self._refused, place)
        if self.summary.refuse(refusal, at):
            self._refused.insert(at, place)
        self.watch(self.summary)

    def _clash(self, item: Readable) -> str | None:
        """Return why a document cannot be filed beside one that this import holds already.

        Two texts under one name would be taken for two versions, again at every import.
        """
        hashed = content_hash(item.document)
        key = entity_key(item.document, hashed)
        first, content = self._seen.setdefault(key, (item.source, hashed))
        if content == hashed:
            return None
        return f"{_called(item.document)} stands in {first} with another text; give one of them another name"

    async def shipments(self, items: ItemStream) -> AsyncIterator[DocumentBatch[Item]]:
        """Yield each document with the earlier versions its history tells; what cannot be one is refused."""
        place = count()
        async for item in items:
            if self._stop.is_set():
                return
            origin = Item(next(place), item.source)
            if isinstance(item, Refusal):
                self._refuse(origin.place, item)
            elif (shipment := await self._shipment(origin, item)) is not None:
                yield shipment

    async def _shipment(self, origin: Item, item: Readable) -> DocumentBatch[Item] | None:
        try:
            if (clash := self._clash(item)) is not None:
                self._refuse(origin.place, Refusal(item.source, clash))
                return None
            versions = await versions_to_file(
                self._database, self.caller.tenant, self.project_key, item.document, self._history
            )
        except Unavailable:
            raise
        except Exception as error:
            self.count(origin, error)
            return None
        return DocumentBatch(origin, tuple(versions))

    def count(self, origin: Item, outcome: Outcome) -> None:
        """Count what became of a document."""
        if isinstance(outcome, Exception):
            self._refuse(origin.place, Refusal(origin.source, _reason(origin.source, outcome)))
            return
        if any(each.created for each in outcome):
            self.summary.filed += 1
        else:
            self.summary.unchanged += 1
        warnings = dict.fromkeys(warning for each in outcome for warning in each.warnings)
        self.summary.warn(origin.source, (each for each in warnings if not each.startswith(_DEFINED)))
        self.watch(self.summary)


def _reason(source: str, error: Exception) -> str:
    if isinstance(error, TrigraphError):
        return error.message
    _LOG.error("%s could not be filed", source, exc_info=error)
    return f"it could not be filed: {type(error).__name__}: {error}"


def _homonyms(collisions: Sequence[Collision]) -> Homonyms:
    return {
        identifier_key(collision.identifier): tuple(
            sorted(
                identifier_key(file.identifier) if file.identifier else file.source
                for file in collision.files
            )
        )
        for collision in collisions
    }


def _called(document: Document) -> str:
    return document.identifier or document.source_uri or document.title
