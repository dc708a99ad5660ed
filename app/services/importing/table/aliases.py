"""Importing the aliases in the rows of a table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.entity import Caller
from app.domain.identifier import identifier_key
from app.domain.temporal import FIRST_MOMENT
from app.errors import Conflict, Invalid, NotFound, TrigraphError, Unavailable
from app.services.aliases.create import StatedAlias, add_alias
from app.services.aliases.rules import aliases_from, named_from
from app.services.importing.items import Refusal
from app.services.importing.request import ImportSummary
from app.services.importing.table.columns import alias_columns
from app.services.parsing import clean_text
from app.services.parsing.dates import read_date
from app.services.unit_of_work import UnitOfWork, unit_of_work
from app.stores.postgres import aliases, entities, ledger_clock, projects
from app.stores.postgres.pool import Database
from app.stores.postgres.source_database import SourceColumn, SourceTable, find_table, read_rows

MAX_ROW_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class KnownAlias:
    """An alias of a row: its form and target; without `since` it holds from the beginning of the target."""

    place: str
    form: str
    target: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class AliasTable:
    """A table of aliases and its columns for form, target and date."""

    table: SourceTable
    columns: Mapping[str, SourceColumn]

    async def read(self, connection: asyncpg.Connection) -> AsyncIterator[KnownAlias | Refusal]:
        """Yield the alias of each row, and a refusal for each row without one."""
        taken = tuple(self.columns.values())
        number = 0
        try:
            async for row in read_rows(connection, self.table, taken, (), MAX_ROW_BYTES):
                number += 1
                values = row.values or (None,) * len(taken)
                yield self._alias(dict(zip(self.columns, map(_text, values), strict=True)), number)
        except Invalid as error:
            yield Refusal(self._place(number + 1), f"the rest of the table cannot be read: {error.message}")

    def _place(self, number: int) -> str:
        return f"{self.table.label} row {number}"

    def _alias(self, said: Mapping[str, str], number: int) -> KnownAlias | Refusal:
        form, target, since = said["form"], said["target"], said.get("since", "")
        if not form or not target:
            return Refusal(self._place(number), "the alias or its target is missing, or is far too long")
        place = f"{self.table.label}/{form}"
        moment = None if not since or since.endswith(" BC") else read_date(since)
        if since and moment is None:
            name = self.columns["since"].name
            return Refusal(place, f"the column {name} has no readable date: {since[:40]}")
        return KnownAlias(place, form, target, moment)


def _text(value: str | bytes | None) -> str:
    return "" if value is None else clean_text(str(value)).strip()


async def open_aliases(connection: asyncpg.Connection, name: str) -> AliasTable:
    """Find a table of aliases; raises NotFound or Invalid when it does not exist or has no such columns."""
    table = await find_table(connection, name)
    return AliasTable(table, alias_columns(table))


class Registry:
    """Registers known aliases in a project; `keys` maps the names of rows to the keys of their entities."""

    def __init__(self, database: Database, caller: Caller, project: str, keys: Mapping[str, str]) -> None:
        self._database = database
        self._caller = caller
        self._project = project
        self._keys = keys

    async def register(self, alias: KnownAlias) -> bool:
        """Register an alias and return whether it is new.

        Raises NotFound when its target does not exist (yet), Invalid or Conflict for a forbidden alias.
        """
        async with unit_of_work(self._database, self._caller) as write:
            target = await self._target(write, alias.target)
            if await self._is_recorded(write, alias.form, target):
                return False
            stated = StatedAlias(alias.form, target, valid_from=alias.since or FIRST_MOMENT)
            added = await add_alias(write, stated)
            await ledger_clock.finish_write(await write.flush())
        return added.is_new

    async def _is_recorded(self, write: UnitOfWork, form: str, target: UUID) -> bool:
        """Return whether a form is or was an alias of a target; a withdrawn one stays withdrawn."""
        owner = await entities.entities_by_id(await write.flush(), write.tenant, [target])
        held = await aliases.current_aliases(await write.flush(), write.tenant, owner[target].project, [form])
        return any(alias.target == target for alias in held)

    async def _target(self, write: UnitOfWork, name: str) -> UUID:
        found = await projects.project_by_key(await write.flush(), write.tenant, self._project)
        if found is not None:
            for key in (self._keys.get(name), identifier_key(name)):
                where = (await write.flush(), write.tenant, found.number)
                if key is not None and (entity := await entities.entity_by_key(*where, key)) is not None:
                    return entity.id
            meant = await named_from(write, found.number, name, write.recorded_at)
            lasting = await aliases_from(write, found.number, name, write.recorded_at)
            meant |= {alias.target for alias in lasting}
            if len(meant) == 1:
                return meant.pop()
            if meant:
                raise Conflict(f"{name} could mean several things; give the identifier of one")
        raise NotFound(f"nothing in the project {self._project} is called {name}")


@dataclass(frozen=True, slots=True)
class AliasImport:
    """Registers many aliases and counts the outcomes."""

    registry: Registry
    summary: ImportSummary
    stop: asyncio.Event
    watch: Callable[[ImportSummary], None]

    async def register_all(self, aliases: AsyncIterator[KnownAlias | Refusal]) -> None:
        """Register every alias; an alias may name another alias that comes later."""
        pending = []
        async for alias in aliases:
            if self._is_stopped():
                return
            if isinstance(alias, Refusal):
                self.summary.refuse(alias)
            elif await self._is_early(alias):
                pending.append(alias)
        while pending and not self._is_stopped():
            left = [alias for alias in pending if await self._is_early(alias)]
            if len(left) == len(pending):
                break
            pending = left
        for alias in pending:
            self._refuse(alias, f"nothing here is called {alias.target}")

    def _is_stopped(self) -> bool:
        self.summary.was_stopped = self.stop.is_set()
        return self.summary.was_stopped

    async def _is_early(self, alias: KnownAlias) -> bool:
        """Register an alias and count it, or return True when its target does not exist yet."""
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
