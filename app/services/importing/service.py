"""The import service: it files many documents at once, and a bad one never stops the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from app.domain.entity import Caller
from app.domain.identifier import identifier_key
from app.domain.types import TypeDefinition
from app.errors import Invalid, Unavailable
from app.services.filing import DEFAULT_PROJECT, FilingService
from app.services.importing.git.known_documents import history_of, items_of, match_documents, root_of
from app.services.importing.git.repository import read_repository
from app.services.importing.history.jsonl import read_revisions, read_states
from app.services.importing.history.model import History
from app.services.importing.history.service import HistoryService
from app.services.importing.interruption import IsStopped, Stopped
from app.services.importing.items import Refusal, read_in_threads
from app.services.importing.removals import RemovalService, RepositoryHistory, RootContents
from app.services.importing.request import ImportRequest, ImportSummary
from app.services.importing.run import Batch, Report, Run, report_nothing
from app.services.importing.scan import scan_paths
from app.stores.postgres import projects, type_definitions
from app.stores.postgres.absences import RootedDocument
from app.stores.postgres.document_names import HeldDocument, documents_by_key
from app.stores.postgres.pool import Database

SHALLOW = (
    "the clone is shallow: the history before its first commit is missing; run git fetch"
    " --unshallow and import again"
)


class ImportService:
    """Imports files, rows and repositories into the ledger, `width` documents at a time."""

    def __init__(self, database: Database, filing: FilingService, width: int) -> None:
        self._database = database
        self._filing = filing
        self._width = width
        self._removals = RemovalService(database)

    async def run(
        self,
        caller: Caller,
        request: ImportRequest,
        *,
        stop: asyncio.Event | None = None,
        watch: Callable[[ImportSummary], None] = lambda summary: None,
        report: Report = report_nothing,
    ) -> ImportSummary:
        """File everything under the paths of a request and return the summary.

        `stop` ends the import after the current documents, `watch` is called after each step, and `report`
        with each document that is there. Raises
        Invalid for paths that cannot be imported, before anything is filed, and Unavailable when the
        ledger is gone or full; the documents filed until then stay.
        """
        stop = stop or asyncio.Event()
        prefixes = await self._filing.prefixes(caller, request.project)
        try:
            batch = await self._batch(caller, request, prefixes, stop)
        except Stopped:
            return ImportSummary(was_stopped=True)
        return await self.import_batch(caller, batch, request.project, stop, watch, report)

    async def _batch(
        self, caller: Caller, request: ImportRequest, prefixes: frozenset[str], stop: asyncio.Event
    ) -> Batch:
        """Scan everything a request names; raises Stopped once somebody asks for an end."""
        if request.repository is not None:
            return await self._repository(caller, request, request.repository, prefixes, stop)
        held = await self._held(caller, request.project)
        rooted = await self._removals.rooted(caller, request.project or DEFAULT_PROJECT)
        found = await asyncio.to_thread(
            scan_paths, request.paths, request.kind, prefixes, stop.is_set, held, rooted
        )
        if request.prunes:
            _require_documents(found.filed, rooted)
        history, refused = await asyncio.to_thread(_read_history, request, stop.is_set)
        items = read_in_threads(found.read(stop.is_set))
        return Batch(
            items,
            found.total,
            history,
            refused,
            found.skipped,
            found.collisions,
            unread=found.unread,
            settle=partial(self._settle_folders, caller, request, found.filed),
        )

    async def _held(self, caller: Caller, project: str | None) -> dict[str, HeldDocument]:
        async with self._database.reading(caller.tenant) as connection:
            return await documents_by_key(connection, caller.tenant, project or DEFAULT_PROJECT)

    async def _settle_folders(
        self, caller: Caller, request: ImportRequest, filed: Sequence[RootContents], summary: ImportSummary
    ) -> None:
        for each in filed:
            await self._removals.settle_folder(
                caller, request.project or DEFAULT_PROJECT, each, summary, prunes=request.prunes
            )

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
        known = await match_documents(self._database, caller.tenant, project, repository)
        known = await self._removals.readmit(caller, project, known)
        filed = RootContents(
            root_of(repository),
            {identifier_key(each.history.identifier): each.document.source_uri or "" for each in known},
            frozenset(str(repository.top / each.source) for each in repository.refused),
        )
        history = RepositoryHistory(known, repository.is_shallow)
        return Batch(
            items=read_in_threads(items_of(known)),
            total=len(known) + len(repository.refused),
            history=history_of(known),
            refused=repository.refused,
            collisions=(*repository.collisions, *(each.collision for each in known if each.collision)),
            warnings=(*repository.warnings, *((("git", SHALLOW),) if repository.is_shallow else ())),
            settle=partial(self._removals.settle_repository, caller, project, filed, history),
        )

    async def import_batch(
        self,
        caller: Caller,
        batch: Batch,
        project: str | None,
        stop: asyncio.Event,
        watch: Callable[[ImportSummary], None],
        report: Report = report_nothing,
    ) -> ImportSummary:
        """File the documents of a batch, record their history, and return the summary."""
        before = await self._types(caller, project)
        summary = ImportSummary(
            total=batch.total,
            histories=len(batch.history),
            skipped=list(batch.skipped),
            collisions=list(batch.collisions),
            unread=dict(batch.unread),
        )
        for place, warning in batch.warnings:
            summary.warn(place, [warning])
        watch(summary)
        run = Run(self._database, caller, project, summary, watch, batch, stop, report)
        try:
            summary.was_stopped = await self._filing.file_all(
                caller,
                run.document_batches(batch.items),
                run.project_key,
                width=self._width,
                done=run.count,
                stop=stop,
                defines_kinds=True,
                homonyms=run.homonyms,
            )
            for refusal in batch.refused:
                summary.refuse(refusal)
            if not summary.was_stopped:
                await HistoryService(self._database).record_all(
                    caller, run.project_key, batch.history, summary, stop, watch
                )
            if not summary.was_stopped:
                await batch.settle(summary)
        except Unavailable as error:
            raise Unavailable(
                f"{error.message}; {summary.filed} documents were filed before that: run the"
                " import again to continue"
            ) from error
        try:
            after = await self._types(caller, project)
        except Unavailable as error:
            summary.warn("ledger", [f"the new document types are unknown: {error.message}"])
        else:
            summary.kinds_defined = sorted(after.keys() - before.keys())
        return summary

    async def _types(self, caller: Caller, project: str | None) -> dict[str, TypeDefinition]:
        async with self._database.reading(caller.tenant) as connection:
            found = await projects.project_by_key(connection, caller.tenant, project or DEFAULT_PROJECT)
            numbers = [] if found is None else [found.number]
            known = await type_definitions.types_in_projects(connection, caller.tenant, numbers)
        return {each.definition.name: each.definition for each in known if each.definition.is_document}


def _require_documents(filed: Sequence[RootContents], rooted: Sequence[RootedDocument]) -> None:
    """Raise Invalid for a folder without a document that held some: it may be an unmounted disk."""
    held = {each.place for each in rooted if not each.is_absent}
    for each in filed:
        if not each.sources and each.root.place in held:
            raise Invalid(
                f"{each.root.place} held documents, and has none that can be read now; nothing was ended."
                " Look whether it is the right folder, or withdraw the documents one by one",
                field="paths",
            )


def _read_history(request: ImportRequest, is_stopped: IsStopped) -> tuple[History, tuple[Refusal, ...]]:
    states, unread_states = read_states(request.states, is_stopped)
    revisions, unread_revisions = read_revisions(request.revisions, is_stopped)
    return History(states, revisions), (*unread_states, *unread_revisions)
