"""The aliases that an older system knows, as the rows of a table tell them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import asyncpg

from app.errors import Invalid
from app.services.importing.item import Refusal
from app.services.importing.tables.columns import alias_columns
from app.services.importing.tables.finding import find_table
from app.services.parsing import clean_text
from app.services.parsing.dates import read_date
from app.stores.postgres.source_tables import SourceColumn, SourceTable, read_rows

LARGEST_ROW = 65_536


@dataclass(frozen=True, slots=True)
class KnownAlias:
    """A form and what it means, as a row says; without `since` it means that from its beginning on."""

    place: str
    form: str
    target: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class AliasTable:
    """A table of aliases and the columns that tell them."""

    table: SourceTable
    columns: Mapping[str, SourceColumn]

    async def read(self, connection: asyncpg.Connection) -> AsyncIterator[KnownAlias | Refusal]:
        """Answer the alias of each row, and a refusal for each row that tells none."""
        taken = tuple(self.columns.values())
        number = 0
        try:
            async for row in read_rows(connection, self.table, taken, (), LARGEST_ROW):
                number += 1
                values = row.values or (None,) * len(taken)
                yield self._alias(dict(zip(self.columns, map(_text, values), strict=True)), number)
        except Invalid as error:
            yield Refusal(self._place(number + 1), f"it cannot be read from here on: {error.message}")

    def _place(self, number: int) -> str:
        return f"{self.table.label} row {number}"

    def _alias(self, said: Mapping[str, str], number: int) -> KnownAlias | Refusal:
        form, target, since = said["form"], said["target"], said.get("since", "")
        if not form or not target:
            return Refusal(self._place(number), "it lacks the alias, or what that means, or is far too long")
        place = f"{self.table.label}/{form}"
        moment = None if not since or since.endswith(" BC") else read_date(since)
        if since and moment is None:
            name = self.columns["since"].name
            return Refusal(place, f"the column {name} holds no date that can be read: {since[:40]}")
        return KnownAlias(place, form, target, moment)


def _text(value: str | bytes | None) -> str:
    return "" if value is None else clean_text(str(value)).strip()


async def open_aliases(connection: asyncpg.Connection, written: str) -> AliasTable:
    """Find a table of aliases; raises NotFound or Invalid when it is not there or no such table."""
    table = await find_table(connection, written)
    return AliasTable(table, alias_columns(table))
