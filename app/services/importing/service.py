"""Importing: every document filed in a transaction of its own, and a bad one never stops the rest."""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from app.domain.artifact import Document
from app.domain.entity import Caller
from app.domain.identifier import identifier_key
from app.domain.ontology import TypeDefinition
from app.errors import TrigraphError, Unavailable, Unwritable
from app.services.filing import DEFAULT_PROJECT, FiledDocument, FilingService
from app.services.filing.preparation import content_hash, entity_key
from app.services.importing.collisions import Collision
from app.services.importing.history.dating import versions_to_file
from app.services.importing.history.git_import import as_known, history_of, items_of
from app.services.importing.history.git_reading import read_repository
from app.services.importing.history.revision_rows import read_revisions
from app.services.importing.history.service import HistoryService
from app.services.importing.history.state_rows import read_states
from app.services.importing.history.telling import History
from app.services.importing.item import Items, Readable, Refusal, Skipped
from app.services.importing.summary import ImportSummary
from app.services.importing.survey import Stopped, survey
from app.services.write import Homonyms
from app.stores.postgres import ledger, ontology, projects
from app.stores.postgres.pool import Database

_LOG = logging.getLogger(__name__)
_DEFINED = "defined the kind "


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What to import and where to; `kind` is for documents that tell nothing of theirs.

    `states` and `revisions` are files of rows that tell what the documents were before, `repository` is
    a folder of a git repository whose main line is read.
    """

    paths: tuple[Path, ...] = ()
    project: str | None = None
    kind: str | None = None
    states: tuple[Path, ...] = ()
    revisions: tuple[Path, ...] = ()
    repository: Path | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents to be read one after the other, what is known of them before, and their history."""

    items: Items
    total: int
    history: History = field(default_factory=History)
    refused: tuple[Refusal, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    collisions: tuple[Collision, ...] = ()


class ImportService:
    """Brings files and rows into the ledger, `width` documents at a time."""

    def __init__(self, database: Database, filing: FilingService, width: int) -> None:
        self._database = database
        self._filing = filing
        self._width = width

    async def run(
        self,
        caller: Caller,
        request: ImportRequest,
        *,
        stop: asyncio.Event | None = None,
        watch: Callable[[ImportSummary], None] = lambda summary: None,
    ) -> ImportSummary:
        """File everything under the paths of a request and answer what became of it.

        `stop` ends the import after the documents at hand, and `watch` is told of each step. Raises
        Invalid for paths that cannot be imported, before anything is filed, and Unavailable when the
        ledger is gone or keeps nothing more; what was filed until then stays.
        """
        stop = stop or asyncio.Event()
        prefixes = await self._filing.prefixes(caller, request.project)
        try:
            batch = await self._batch(caller, request, prefixes, stop)
        except Stopped:
            return ImportSummary(was_stopped=True)
        return await self._bring(caller, batch, request.project, stop, watch)

    async def _batch(
        self, caller: Caller, request: ImportRequest, prefixes: frozenset[str], stop: asyncio.Event
    ) -> Batch:
        """Look at everything a request names; raises Stopped once somebody asks for an end."""
        if request.repository is not None:
            return await self._repository(caller, request, request.repository, prefixes, stop)
        found = await asyncio.to_thread(survey, request.paths, request.kind, prefixes, stop.is_set)
        history, refused = await asyncio.to_thread(_history, request)
        return Batch(found.read(), found.total, history, refused, found.skipped, found.collisions)

    async def _repository(
        self,
        caller: Caller,
        request: ImportRequest,
        folder: Path,
        prefixes: frozenset[str],
        stop: asyncio.Event,
    ) -> Batch:
        repository = await asyncio.to_thread(
            read_repository, folder, request.kind, prefixes, datetime.now(UTC), stop.is_set
        )
        project = DEFAULT_PROJECT if request.project is None else request.project
        known = await as_known(self._database, caller.tenant, project, repository)
        return Batch(
            items=items_of(known),
            total=len(known) + len(repository.refused),
            history=history_of(known),
            refused=repository.refused,
            collisions=repository.collisions,
        )

    async def _bring(
        self,
        caller: Caller,
        batch: Batch,
        project: str | None,
        stop: asyncio.Event,
        watch: Callable[[ImportSummary], None],
    ) -> ImportSummary:
        """File the documents of a batch, tell their history, and answer what became of them."""
        before = await self._types(caller, project)
        summary = ImportSummary(
            total=batch.total,
            histories=len(batch.history),
            skipped=list(batch.skipped),
            collisions=list(batch.collisions),
        )
        watch(summary)
        run = _Run(self._database, self._filing, caller, project, summary, watch, batch)
        try:
            await self._file_all(run, batch.items, stop)
            summary.refused += batch.refused
            if not summary.was_stopped:
                await HistoryService(self._database).tell_all(
                    caller, run.project_key, batch.history, summary, stop, watch
                )
        except Unavailable as error:
            raise Unavailable(
                f"{error.message}; {summary.filed} documents were filed before that: import again to go on"
            ) from error
        after = await self._types(caller, project)
        summary.kinds_defined = sorted(after.keys() - before.keys())
        return summary

    async def _types(self, caller: Caller, project: str | None) -> dict[str, TypeDefinition]:
        async with self._database.reading(caller.tenant) as connection:
            found = await projects.project_by_key(connection, caller.tenant, project or DEFAULT_PROJECT)
            numbers = [] if found is None else [found.number]
            known = await ontology.types_in_projects(connection, caller.tenant, numbers)
        return {each.definition.name: each.definition for each in known if each.definition.is_document}

    async def _file_all(self, run: _Run, items: Items, stop: asyncio.Event) -> None:
        """Read one document after the other, and file as many at once as keep the encoder busy."""
        room = asyncio.Semaphore(self._width)
        try:
            async with asyncio.TaskGroup() as group:
                for place in count():
                    await room.acquire()
                    if stop.is_set():
                        break
                    item = await asyncio.to_thread(next, items, None)
                    if item is None:
                        return
                    group.create_task(self._file_one(run, place, item, room))
                run.summary.was_stopped = True
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def _file_one(
        self, run: _Run, place: int, item: Readable | Refusal, room: asyncio.Semaphore
    ) -> None:
        try:
            refusal = item if isinstance(item, Refusal) else await self._filed(run, item)
        finally:
            room.release()
        if refusal is not None:
            run.refuse(place, refusal)
        run.watch(run.summary)

    async def _filed(self, run: _Run, item: Readable) -> Refusal | None:
        """File one document, or answer why it cannot be; raises Unavailable when none could be filed now."""
        try:
            if (clash := run.clash(item)) is not None:
                return Refusal(item.source, clash)
            await run.file(item)
        except Unwritable:
            raise
        except Unavailable as error:
            await self._demand_a_ledger(run.caller)
            return Refusal(item.source, error.message)
        except TrigraphError as error:
            return Refusal(item.source, error.message)
        except Exception as error:
            _LOG.exception("%s could not be filed", item.source)
            return Refusal(item.source, f"it could not be filed: {type(error).__name__}: {error}")
        return None

    async def _demand_a_ledger(self, caller: Caller) -> None:
        async with self._database.reading(caller.tenant) as connection:
            await ledger.read_clock(connection, caller.tenant)


class _Run:
    """One import while it runs: what was seen so far, and what became of it."""

    def __init__(
        self,
        database: Database,
        filing: FilingService,
        caller: Caller,
        project: str | None,
        summary: ImportSummary,
        watch: Callable[[ImportSummary], None],
        batch: Batch,
    ) -> None:
        self._database = database
        self._filing = filing
        self._history = batch.history
        self._homonyms = _homonyms(batch.collisions)
        self.project_key = DEFAULT_PROJECT if project is None else project
        self._seen: dict[str, tuple[str, str]] = {}
        self._refused: list[int] = []
        self.caller = caller
        self.summary = summary
        self.watch = watch

    def refuse(self, place: int, refusal: Refusal) -> None:
        """List a refusal in the order of what was read, whichever was known first."""
        at = bisect(self._refused, place)
        self._refused.insert(at, place)
        self.summary.refused.insert(at, refusal)

    def clash(self, item: Readable) -> str | None:
        """Answer why a document cannot be filed beside one that this import holds already.

        Two texts under one name would be taken for two versions, again at every import.
        """
        hashed = content_hash(item.document)
        key = entity_key(item.document, hashed)
        first, content = self._seen.setdefault(key, (item.source, hashed))
        if content == hashed:
            return None
        return f"{_called(item.document)} stands in {first} with another text; give one of them another name"

    async def file(self, item: Readable) -> None:
        """File a document, with the earlier versions its history tells, and count it."""
        versions = await versions_to_file(
            self._database, self.caller.tenant, self.project_key, item.document, self._history
        )
        filed = [await self._file_one(version) for version in versions]
        if any(each.created for each in filed):
            self.summary.filed += 1
        else:
            self.summary.unchanged += 1
        warnings = dict.fromkeys(warning for each in filed for warning in each.warnings)
        self.summary.warn(item.source, (warning for warning in warnings if not warning.startswith(_DEFINED)))

    async def _file_one(self, version: Document) -> FiledDocument:
        return await self._filing.file(
            self.caller, version, self.project_key, defines_kinds=True, homonyms=self._homonyms
        )


def _history(request: ImportRequest) -> tuple[History, tuple[Refusal, ...]]:
    told, unread = read_states(request.states)
    revisions, unfit = read_revisions(request.revisions)
    return History(told, revisions), (*unread, *unfit)


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
