"""The aliases that an older system knows, registered for what they mean here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from uuid import UUID

from app.domain.entity import Caller
from app.domain.identifier import identifier_key
from app.errors import Conflict, NotFound, TrigraphError, Unavailable
from app.services.aliases.meanings import aliases_from, named_from
from app.services.aliases.stating import StatedAlias
from app.services.aliases.writing import add_alias
from app.services.filing.preparation import EARLIEST
from app.services.importing.item import Refusal
from app.services.importing.summary import ImportSummary
from app.services.importing.tables.known_aliases import KnownAlias
from app.services.write import Write, writing
from app.stores.postgres import aliases, entities, ledger, projects
from app.stores.postgres.pool import Database


class Registry:
    """Registers known aliases in a project; `keys` are those of entities by what their rows are called."""

    def __init__(self, database: Database, caller: Caller, project: str, keys: Mapping[str, str]) -> None:
        self._database = database
        self._caller = caller
        self._project = project
        self._keys = keys

    async def register(self, alias: KnownAlias) -> bool:
        """Register an alias and tell whether it is new.

        Raises NotFound when its target is not there (yet), Invalid or Conflict when it can be no alias of it.
        """
        async with writing(self._database, self._caller) as write:
            target = await self._target(write, alias.target)
            if await self._was_told(write, alias.form, target):
                return False
            stated = StatedAlias(alias.form, target, valid_from=alias.since or EARLIEST)
            added = await add_alias(write, stated)
            await ledger.settle(write.connection)
        return added.is_new

    async def _was_told(self, write: Write, form: str, target: UUID) -> bool:
        """Tell whether a form is or was an alias of a target: one that somebody withdrew stays withdrawn."""
        owner = await entities.entities_by_id(write.connection, write.tenant, [target])
        held = await aliases.believed_aliases(write.connection, write.tenant, owner[target].project, [form])
        return any(alias.target == target for alias in held)

    async def _target(self, write: Write, written: str) -> UUID:
        found = await projects.project_by_key(write.connection, write.tenant, self._project)
        if found is not None:
            for key in (self._keys.get(written), identifier_key(written)):
                where = (write.connection, write.tenant, found.number)
                if key is not None and (entity := await entities.entity_by_key(*where, key)) is not None:
                    return entity.id
            meant = await named_from(write, found.number, written, write.recorded_at)
            lasting = await aliases_from(write, found.number, written, write.recorded_at)
            meant |= {alias.target for alias in lasting}
            if len(meant) == 1:
                return meant.pop()
            if meant:
                raise Conflict(f"{written} could mean several things; name one by its identifier")
        raise NotFound(f"there is nothing called {written} in the project {self._project}")


@dataclass(frozen=True, slots=True)
class Registering:
    """The registering of many aliases while it runs."""

    registry: Registry
    summary: ImportSummary
    stop: asyncio.Event
    watch: Callable[[ImportSummary], None]

    async def register_all(self, aliases: AsyncIterator[KnownAlias | Refusal]) -> None:
        """Register every alias; one may lead to another, which is told later than it."""
        waiting = []
        async for alias in aliases:
            if self._is_stopped():
                return
            if isinstance(alias, Refusal):
                self.summary.refuse(alias)
            elif await self._is_early(alias):
                waiting.append(alias)
        while waiting and not self._is_stopped():
            left = [alias for alias in waiting if await self._is_early(alias)]
            if len(left) == len(waiting):
                break
            waiting = left
        for alias in waiting:
            self._refuse(alias, f"there is nothing called {alias.target} here")

    def _is_stopped(self) -> bool:
        self.summary.was_stopped = self.stop.is_set()
        return self.summary.was_stopped

    async def _is_early(self, alias: KnownAlias) -> bool:
        """Register an alias and count it, or tell that what it means is not there."""
        try:
            is_new = await self.registry.register(alias)
        except NotFound:
            return True
        except Unavailable:
            raise
        except TrigraphError as error:
            self._refuse(alias, error.message)
            return False
        self.summary.aliases_recorded += is_new
        self.summary.aliases_unchanged += not is_new
        self.watch(self.summary)
        return False

    def _refuse(self, alias: KnownAlias, reason: str) -> None:
        self.summary.refuse(Refusal(alias.place, reason))
