"""Telling the histories of documents that are filed, each in a transaction of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from app.domain.entity import Caller, Entity, Project
from app.errors import NotFound, TrigraphError, Unavailable
from app.services.importing.history.model import DocumentHistory, History
from app.services.importing.history.write import Brought, tell, untold_states
from app.services.importing.items import Refusal
from app.services.importing.run import ImportSummary
from app.services.unit_of_work import unit_of_work
from app.stores.postgres import entities, projects, state_history
from app.stores.postgres.pool import Database

_LOG = logging.getLogger(__name__)


class HistoryService:
    """Gives documents their past; what the ledger knows of it already is left as it is."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def tell_all(
        self,
        caller: Caller,
        project_key: str,
        history: History,
        summary: ImportSummary,
        stop: asyncio.Event,
        watch: Callable[[ImportSummary], None],
    ) -> None:
        """Tell every history into a project, and count what became of it.

        A history that cannot be told is refused with its reason and stops no other. Raises Unavailable
        when the ledger is gone.
        """
        project, found = await self._documents(caller, project_key, history)
        brought = await self._brought(caller, found, history)
        for key, told in history.told.items():
            if stop.is_set():
                summary.was_stopped = True
                return
            try:
                await self._tell(caller, project, found.get(key), told, brought, summary)
            except Unavailable:
                raise
            except TrigraphError as error:
                summary.refuse(Refusal(told.states[0].source, f"{told.identifier}: {error.message}"))
            except Exception as error:
                _LOG.exception("the history of %s could not be told", told.identifier)
                reason = f"{told.identifier}: it could not be told: {type(error).__name__}: {error}"
                summary.refuse(Refusal(told.states[0].source, reason))
            summary.histories_seen += 1
            watch(summary)

    async def _tell(
        self,
        caller: Caller,
        project: Project | None,
        entity: Entity | None,
        told: DocumentHistory,
        brought: Brought,
        summary: ImportSummary,
    ) -> None:
        if project is None or entity is None:
            raise NotFound("no document of this identifier is filed in the project; file it with its history")
        if entity.id not in brought.untold:
            summary.states_unchanged += len(told.states)
            return
        async with unit_of_work(self._database, caller) as write:
            telling = await tell(write, project, entity, brought)
        brought.untold.discard(entity.id)
        summary.states_recorded += telling.recorded
        summary.states_unchanged += telling.unchanged
        summary.warn(told.states[-1].source, telling.warnings)

    async def _documents(
        self, caller: Caller, project_key: str, history: History
    ) -> tuple[Project | None, dict[str, Entity]]:
        async with self._database.reading(caller.tenant) as connection:
            project = await projects.project_by_key(connection, caller.tenant, project_key)
            if project is None:
                return None, {}
            found = {}
            for key in history.told:
                entity = await entities.entity_by_key(connection, caller.tenant, project.number, key)
                if entity is not None:
                    found[key] = entity
            return project, found

    async def _brought(self, caller: Caller, found: dict[str, Entity], history: History) -> Brought:
        """Return the histories of what is there, and which have states that the ledger does not know."""
        brought = Brought({entity.id: history.told[key] for key, entity in found.items()}, set())
        async with self._database.reading(caller.tenant) as connection:
            for entity, told in brought.told.items():
                commits = await state_history.commits_told(connection, caller.tenant, entity)
                if untold_states(told, commits):
                    brought.untold.add(entity)
        return brought
