"""One row of a table, brought to a document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from app.domain.artifact import Document
from app.domain.graphemes import beginning
from app.errors import Invalid
from app.services.importing.files import text_of_bytes
from app.services.importing.reading_aside import read_aside
from app.services.importing.tables.columns import DocumentColumns
from app.services.parsing import clean_path, clean_text, parse_markdown
from app.services.parsing.cleaning import clean_value
from app.services.parsing.dates import EARLIEST_YEAR, read_date
from app.stores.postgres.source_tables import SourceColumn, Value

LIKE_A_HEADER = ("id", "number", "kind", "title", "status", "author", "domain", "tags", "aliases", "summary")
"""What a column of these roles holds is read as a header field of this name."""

_ASTRAY = timedelta(days=1)
"""Clocks differ, and a date may be that of a place where tomorrow has begun."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A column and what a row has in it."""

    column: SourceColumn
    value: Value


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table by the columns that were asked for."""

    table: str
    columns: DocumentColumns
    values: Mapping[SourceColumn, Value]

    @property
    def name(self) -> str | None:
        """What names the row in its table, or None when nothing does."""
        said = [self.values[column] for column in self.columns.names]
        parts = said if self.columns.keys else [part for part in said if part is not None][:1]
        if None in parts:
            return None
        return clean_text("/".join(map(str, parts))).strip() or None

    @property
    def source(self) -> str | None:
        """The table and what names the row in it."""
        return None if self.name is None else f"{self.table}/{self.name}"

    def cell(self, role: str) -> Cell | None:
        """Answer what stands under a role, or None when there is nothing."""
        column = self.columns.by_role.get(role)
        return None if column is None else self._filled(column)

    def text(self, role: str) -> str | None:
        """Answer the text that stands under a role, or None when there is nothing."""
        cell = self.cell(role)
        return None if cell is None or not isinstance(cell.value, str) else clean_text(cell.value).strip()

    def relations(self) -> list[Cell]:
        """Answer what stands in the columns that state relations."""
        return [cell for column in self.columns.relations if (cell := self._filled(column)) is not None]

    def _filled(self, column: SourceColumn) -> Cell | None:
        value = self.values[column]
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        return Cell(column, value)


def read_row(row: TableRow, kind: str | None, prefixes: frozenset[str]) -> Document:
    """Read a row: its columns count before what is under meta, and that before the header of the text.

    `kind` is that of rows which tell none. Raises Invalid when the row cannot be a document.
    """
    body = _body(row)
    fields = _fields(row)
    if kind is not None:
        fields.setdefault("kind", kind)
    source = row.text("source")
    path = None if source is None or "://" in source else clean_path(source)
    parsed = read_aside(parse_markdown, body, path=path, known_prefixes=prefixes, stated=fields)
    if parsed.identifier is None and source is None and row.name is None:
        raise Invalid("nothing names the row: it has no identifier, and its table no primary key")
    return replace(
        parsed,
        source_uri=row.source if source is None else clean_path(source),
        source_commit=row.text("commit"),
    )


def _body(row: TableRow) -> str:
    column = row.columns.by_role["body"]
    value = row.values[column]
    if value is None:
        raise Invalid(f"the column {column.name} is NULL: there is no text to file")
    text = _decoded(value) if isinstance(value, bytes) else value
    if not any(letter.isprintable() and not letter.isspace() for letter in text):
        raise Invalid(f"the column {column.name} is empty: there is no text to file")
    return text


def _decoded(value: bytes) -> str:
    return text_of_bytes(value) if value.strip() else ""


def _fields(row: TableRow) -> dict[str, object]:
    fields: dict[str, object] = {}
    for role in LIKE_A_HEADER:
        if (cell := row.cell(role)) is not None:
            fields[role] = _value(cell)
    if (created := _created(row.cell("created"))) is not None:
        fields["created"] = created
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
        raise Invalid(f"the column {cell.column.name} holds JSON that cannot be read: {error}") from error


def _meta(cell: Cell | None) -> dict[str, object]:
    value = None if cell is None else _json(cell)
    if cell is None or value is None:
        return {}
    if not isinstance(value, dict):
        raise Invalid(f"the column {cell.column.name} must hold an object or null")
    return value


def _created(cell: Cell | None) -> str | None:
    """Answer the moment a row was made; one that no row can have been made at is refused."""
    if cell is None:
        return None
    text = clean_text(str(cell.value)).strip()
    moment = None if text.endswith(" BC") else read_date(text)
    name, quote = cell.column.name, beginning(text, 40)
    if moment is None:
        raise Invalid(f"the column {name} holds no date from {EARLIEST_YEAR} on that can be read: {quote}")
    if moment > datetime.now(UTC) + _ASTRAY:
        raise Invalid(f"the column {name} holds a date in the future: {quote}")
    return moment.isoformat()
