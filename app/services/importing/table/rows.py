"""Reading the rows of a table as documents."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial

import asyncpg

from app.domain.artifact import Document
from app.domain.text import beginning
from app.errors import Invalid
from app.services.filing.prepare import MAX_BODY_BYTES, content_hash, entity_key
from app.services.importing.folders import text_of_bytes
from app.services.importing.interruption import IsStopped, Stopped, never, read_in_process
from app.services.importing.items import ItemStream, Readable, Refusal, prefixes_among, read_or_refuse
from app.services.importing.table.columns import DocumentColumns, document_columns
from app.services.parsing import clean_path, clean_text, parse_markdown
from app.services.parsing.dates import EARLIEST_YEAR, read_date
from app.services.parsing.text import clean_value
from app.stores.postgres.source_database import (
    SourceColumn,
    SourceRow,
    SourceTable,
    Value,
    beginnings,
    count_rows,
    find_table,
    read_rows,
)

LIKE_A_HEADER = ("id", "number", "kind", "title", "status", "author", "domain", "tags", "aliases", "summary")
"""The value of a column with one of these roles is read as a header field of the same name."""

_ASTRAY = timedelta(days=1)
"""Clocks differ, and a date may be that of a place where tomorrow has begun."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A column and the value of a row in it."""

    column: SourceColumn
    value: Value


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: its values by column."""

    table: str
    columns: DocumentColumns
    values: Mapping[SourceColumn, Value]

    @property
    def name(self) -> str | None:
        """The name of the row in its table, or None."""
        said = [self.values[column] for column in self.columns.names]
        parts = said if self.columns.keys else [part for part in said if part is not None][:1]
        if None in parts:
            return None
        return clean_text("/".join(map(str, parts))).strip() or None

    @property
    def source(self) -> str | None:
        """The table and the name of the row in it, or None."""
        return None if self.name is None else f"{self.table}/{self.name}"

    def cell(self, role: str) -> Cell | None:
        """Return the cell of a role, or None when it is empty."""
        column = self.columns.by_role.get(role)
        return None if column is None else self._filled(column)

    def text(self, role: str) -> str | None:
        """Return the text of a role, or None when there is none."""
        cell = self.cell(role)
        return None if cell is None or not isinstance(cell.value, str) else clean_text(cell.value).strip()

    def relations(self) -> list[Cell]:
        """Return the filled cells of the columns that state relations."""
        return [cell for column in self.columns.relations if (cell := self._filled(column)) is not None]

    def _filled(self, column: SourceColumn) -> Cell | None:
        value = self.values[column]
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        return Cell(column, value)


def read_row(
    row: TableRow, kind: str | None, prefixes: frozenset[str], is_stopped: IsStopped = never
) -> Document:
    """Read a row: its columns win over its meta object, and that wins over the header of the text.

    Rows that state no kind get `kind`. Raises Invalid when the row cannot be a document, and
    Stopped once `is_stopped` says so.
    """
    body = _body(row)
    fields = _fields(row)
    if kind is not None:
        fields.setdefault("kind", kind)
    source = row.text("source")
    path = None if source is None or "://" in source else clean_path(source)
    parsed = read_in_process(
        is_stopped, parse_markdown, body, path=path, known_prefixes=prefixes, stated=fields
    )
    if parsed.identifier is None and source is None and row.name is None:
        raise Invalid("the row has no name: it has no identifier, and its table has no primary key")
    return replace(
        parsed,
        identifier=numbered_by_kind(parsed.identifier, parsed.kind),
        source_uri=row.source if source is None else clean_path(source),
        source_commit=row.text("commit"),
    )


def numbered_by_kind(identifier: str | None, kind: str) -> str | None:
    """Return an identifier; a bare number counts the rows of a kind, so it gets the kind's name."""
    if identifier is None or not (identifier.isascii() and identifier.isdigit()):
        return identifier
    return f"{'-'.join(kind.upper().split())}-{identifier}"


def _body(row: TableRow) -> str:
    column = row.columns.by_role["body"]
    value = row.values[column]
    if value is None:
        raise Invalid(f"the column {column.name} is NULL: there is no text to import")
    text = _decoded(value) if isinstance(value, bytes) else value
    if not any(letter.isprintable() and not letter.isspace() for letter in text):
        raise Invalid(f"the column {column.name} is empty: there is no text to import")
    return text


def _decoded(value: bytes) -> str:
    return text_of_bytes(value) if value.strip() else ""


def _fields(row: TableRow) -> dict[str, object]:
    fields: dict[str, object] = {}
    for role in LIKE_A_HEADER:
        if (cell := row.cell(role)) is not None:
            fields[role] = _value(cell)
    if (created := _created(row.cell("created"))) is not None:
        # The field that comes before all others that date a document, those of the meta object too.
        fields["valid-from"] = created
    for cell in row.relations():
        fields[cell.column.name] = _value(cell)
    return {**fields, **_meta(row.cell("meta")), **fields}


def _value(cell: Cell) -> object:
    text = str(cell.value)
    return _json(cell) if cell.column.shape in ("list", "json") else clean_text(text).strip()


def _json(cell: Cell) -> object:
    try:
        return clean_value(json.loads(str(cell.value)))
    except (ValueError, RecursionError) as error:
        raise Invalid(f"the column {cell.column.name} has JSON that cannot be read: {error}") from error


def _meta(cell: Cell | None) -> dict[str, object]:
    value = None if cell is None else _json(cell)
    if cell is None or value is None:
        return {}
    if not isinstance(value, dict):
        raise Invalid(f"the column {cell.column.name} must hold an object or null")
    return value


def _created(cell: Cell | None) -> str | None:
    """Return the time a row was created; raises Invalid when it is unreadable or in the future."""
    if cell is None:
        return None
    text = clean_text(str(cell.value)).strip()
    moment = None if text.endswith(" BC") else read_date(text)
    name, quote = cell.column.name, beginning(text, 40)
    if moment is None:
        raise Invalid(f"the column {name} has no readable date from {EARLIEST_YEAR} on: {quote}")
    if moment > datetime.now(UTC) + _ASTRAY:
        raise Invalid(f"the column {name} has a date in the future: {quote}")
    return moment.isoformat()


MAX_PREFIXES = 1_000
A_PREFIX = "^(?:[^/]*/)*([A-Z]{2,16})[-_ ]?[0-9]"


@dataclass(slots=True)
class DocumentTable:
    """A table of documents while it is imported.

    `keys` maps the names of rows to the keys of their entities; None when nobody looks rows up.
    """

    connection: asyncpg.Connection
    table: SourceTable
    columns: DocumentColumns
    total: int
    kind: str | None
    prefixes: frozenset[str]
    is_stopped: IsStopped
    keys: dict[str, str] | None

    async def read(self) -> ItemStream:
        """Yield the document of each row, and a refusal for each row that is no document."""
        number = 0
        try:
            async for row in read_rows(
                self.connection, self.table, self.columns.taken, self.columns.names, MAX_BODY_BYTES
            ):
                number += 1
                yield await asyncio.to_thread(self._item, row, number)
        except Stopped:
            return
        except Invalid as error:
            yield Refusal(self._place(number + 1), f"the rest of the table cannot be read: {error.message}")

    def _place(self, number: int) -> str:
        return f"{self.table.label} row {number}"

    def _item(self, row: SourceRow, number: int) -> Readable | Refusal:
        if row.values is None:
            return Refusal(self._place(number), f"it is larger than {MAX_BODY_BYTES} bytes; split it")
        values = dict(zip(self.columns.taken, row.values, strict=True))
        found = TableRow(self.table.label, self.columns, values)
        place = found.source or self._place(number)
        return read_or_refuse(place, partial(self._readable, found, place))

    def _readable(self, row: TableRow, place: str) -> Readable:
        document = read_row(row, self.kind, self.prefixes, self.is_stopped)
        if self.keys is not None and row.name is not None:
            self.keys[row.name] = entity_key(document, content_hash(document))
        return Readable(place, document)


async def open_documents(
    connection: asyncpg.Connection,
    name: str,
    kind: str | None,
    prefixes: frozenset[str],
    is_stopped: IsStopped,
    *,
    by_name: bool,
) -> DocumentTable:
    """Find a table of documents and scan it; `prefixes` are accepted beside those of its rows.

    Reading its rows ends once `is_stopped` says so, and `by_name` keeps their names. Raises NotFound or
    Invalid when the table does not exist or has no such columns.
    """
    table = await find_table(connection, name)
    columns = document_columns(table)
    total = await count_rows(connection, table)
    names = [f"{kind or ''}-1"]
    if (identifier := columns.by_role.get("id")) is not None:
        found = await beginnings(connection, table, identifier, A_PREFIX, MAX_PREFIXES)
        names += [f"{prefix}-1" for prefix in found]
    prefixes |= prefixes_among(names)
    keys: dict[str, str] | None = {} if by_name else None
    return DocumentTable(connection, table, columns, total, kind, prefixes, is_stopped, keys)
