"""The rows of a table, one after the other, as documents to be filed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial

import asyncpg

from app.errors import Invalid
from app.services.filing.preparation import LARGEST_BODY, content_hash, entity_key
from app.services.importing.claims import prefixes_among
from app.services.importing.item import ItemStream, Readable, Refusal, refusing
from app.services.importing.stopping import Stopped
from app.services.importing.tables.columns import DocumentColumns, document_columns
from app.services.importing.tables.finding import find_table
from app.services.importing.tables.reading import TableRow, read_row
from app.stores.postgres.source_tables import (
    SourceRow,
    SourceTable,
    beginnings,
    count_rows,
    read_rows,
)

MOST_PREFIXES = 1_000
A_PREFIX = "^(?:[^/]*/)*([A-Z]{2,16})[-_ ]?[0-9]"


@dataclass(slots=True)
class DocumentTable:
    """A table of documents while it is imported.

    `keys` are the keys of its entities by what names the row, kept while something is to be found by it.
    """

    connection: asyncpg.Connection
    table: SourceTable
    columns: DocumentColumns
    total: int
    kind: str | None
    prefixes: frozenset[str]
    keys: dict[str, str] | None

    async def read(self) -> ItemStream:
        """Answer the document of each row, and a refusal for each row that is none."""
        number = 0
        try:
            async for row in read_rows(
                self.connection, self.table, self.columns.taken, self.columns.names, LARGEST_BODY
            ):
                number += 1
                yield await asyncio.to_thread(self._item, row, number)
        except Stopped:
            return
        except Invalid as error:
            yield Refusal(self._place(number + 1), f"it cannot be read from here on: {error.message}")

    def _place(self, number: int) -> str:
        return f"{self.table.label} row {number}"

    def _item(self, row: SourceRow, number: int) -> Readable | Refusal:
        if row.values is None:
            return Refusal(self._place(number), f"it is larger than {LARGEST_BODY} bytes; split it")
        values = dict(zip(self.columns.taken, row.values, strict=True))
        found = TableRow(self.table.label, self.columns, values)
        place = found.source or self._place(number)
        return refusing(place, partial(self._readable, found, place))

    def _readable(self, row: TableRow, place: str) -> Readable:
        document = read_row(row, self.kind, self.prefixes)
        if self.keys is not None and row.name is not None:
            self.keys[row.name] = entity_key(document, content_hash(document))
        return Readable(place, document)


async def open_documents(
    connection: asyncpg.Connection, written: str, kind: str | None, prefixes: frozenset[str], *, by_name: bool
) -> DocumentTable:
    """Find a table of documents and look what is in it; `prefixes` are accepted beside those of its rows.

    `by_name` keeps what names the rows. Raises NotFound or Invalid when it is not there or no such table.
    """
    table = await find_table(connection, written)
    columns = document_columns(table)
    total = await count_rows(connection, table)
    names = [f"{kind or ''}-1"]
    if (identifier := columns.by_role.get("id")) is not None:
        found = await beginnings(connection, table, identifier, A_PREFIX, MOST_PREFIXES)
        names += [f"{prefix}-1" for prefix in found]
    return DocumentTable(
        connection, table, columns, total, kind, prefixes | prefixes_among(names), {} if by_name else None
    )
