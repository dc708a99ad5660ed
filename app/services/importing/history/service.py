"""Recording the histories of filed documents, each in its own transaction."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from app.domain.entity import Caller, Entity, Project
from app.errors import NotFound, TrigraphError, Unavailable
from app.services.importing.history.model import DocumentHistory, History
from app.services.importing.history.write import ImportedHistories, is_recorded, record_history
from app.services.importing.items import Refusal
from app.services.importing.request import ImportSummary
from app.services.unit_of_work import unit_of_work
from app.stores.postgres import entities, projects, state_history
from app.stores.postgres.pool import Database

_LOG = logging.getLogger(__name__)


class HistoryService:
    """Records the histories of documents; states that are recorded already stay as they are."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record_all(
        self,
        caller: Caller,
        project_key: str,
        history: History,
        summary: ImportSummary,
        stop: asyncio.Event,
        watch: Callable[[ImportSummary], None],
    ) -> None:
        """Record every history in a project, and count the outcomes.

        A history that cannot be recorded is refused with its reason and stops no other. Raises Unavailable
        when the ledger is gone.
        """
        project, found = await self._documents(caller, project_key, history)
        imported = await self._imported_histories(caller, found, history)
        for key, document_history in history.documents.items():
            if stop.is_set():
                summary.was_stopped = True
                return
            try:
                await self._record(caller, project, found.get(key), document_history, imported, summary)
            except Unavailable:
                raise
            except TrigraphError as error:
                summary.refuse(
                    Refusal(
                        document_history.states[0].source, f"{document_history.identifier}: {error.message}"
                    )
                )
            except Exception as error:
                _LOG.exception("the history of %s could not be imported", document_history.identifier)
                reason = (
                    f"{document_history.identifier}: its history could not be imported:"
                    f" {type(error).__name__}: {error}"
                )
                summary.refuse(Refusal(document_history.states[0].source, reason))
            summary.histories_seen += 1
            watch(summary)

    async def _record(
        self,
        caller: Caller,
        project: Project | None,
        entity: Entity | None,
        document_history: DocumentHistory,
        imported: ImportedHistories,
        summary: ImportSummary,
    ) -> None:
        if project is None or entity is None:
            raise NotFound(
                "no document in the project has this identifier; import the document with its history"
            )
        if entity.id not in imported.unrecorded:
            summary.states_unchanged += len(document_history.states)
            return
        async with unit_of_work(self._database, caller) as write:
            outcome = await record_history(write, project, entity, imported)
        imported.unrecorded.discard(entity.id)
        summary.states_recorded += outcome.recorded
        summary.states_unchanged += outcome.unchanged
        summary.warn(document_history.states[-1].source, outcome.warnings)

    async def _documents(
        self, caller: Caller, project_key: str, history: History
    ) -> tuple[Project | None, dict[str, Entity]]:
        async with self._database.reading(caller.tenant) as connection:
            project = await projects.project_by_key(connection, caller.tenant, project_key)
            if project is None:
                return None, {}
            found = {}
            for key in history.documents:
                entity = await entities.entity_by_key(connection, caller.tenant, project.number, key)
                if entity is not None:
                    found[key] = entity
            return project, found

    async def _imported_histories(
        self, caller: Caller, found: dict[str, Entity], history: History
    ) -> ImportedHistories:
        """Return the histories of the filed documents, and which of them have states to record."""
        imported = ImportedHistories(
            {entity.id: history.documents[key] for key, entity in found.items()}, set()
        )
        async with self._database.reading(caller.tenant) as connection:
            for entity, document_history in imported.by_entity.items():
                believed = await state_history.commits_of_states(connection, caller.tenant, entity)
                if not is_recorded(document_history, believed):
                    imported.unrecorded.add(entity)
        return imported
