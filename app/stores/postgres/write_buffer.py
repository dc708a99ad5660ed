"""Insert rows into the ledger: at once through a connection, or together with others through a buffer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum, auto
from typing import Any, TypeAlias

import asyncpg

from app.stores.named_blocks import Statement, in_order

Row: TypeAlias = tuple[Any, ...]
Writing: TypeAlias = Callable[[asyncpg.Connection, Sequence[Row]], Awaitable[None]]


class Table(IntEnum):
    """The tables in write order: a row is written after the rows that it refers to."""

    ENTITY = auto()
    ARTIFACT = auto()
    PASSAGE = auto()
    EMBEDDING = auto()
    POSTING = auto()
    COUNT = auto()
    STATE = auto()
    STATE_NAME = auto()
    EVENT = auto()
    ALIAS = auto()
    REFERENCE = auto()
    PENDING = auto()
    PENDING_CLOSED = auto()
    CLAIM = auto()
    DOCUMENT_NAME = auto()
    MENTION = auto()


SEARCHED = frozenset({Table.PASSAGE, Table.EMBEDDING, Table.POSTING, Table.COUNT})
"""Tables that only recall reads: their rows are written at the end, together for many documents."""


@dataclass(frozen=True, slots=True)
class Insert:
    """How to write one or several rows of a table; `names` are those of a row's values, in their order."""

    table: Table
    names: tuple[str, ...]
    write: Writing

    def row(self, **values: Any) -> Row:
        """Return a row of these values; raise TypeError unless each name has one."""
        return in_order(self.names, values)


def one_by_one(table: Table, block: str) -> Insert:
    """Return an insert that runs the statement of a block for each row, in one round trip."""
    statement = Statement.read(block)

    async def write(connection: asyncpg.Connection, rows: Sequence[Row]) -> None:
        if len(rows) == 1:
            await connection.execute(statement.text, *rows[0])
        else:
            await connection.executemany(statement.text, rows)

    return Insert(table, statement.names, write)


class WriteBuffer:
    """A buffer of rows to be written together; `flush` writes them."""

    def __init__(self) -> None:
        self._rows: dict[Insert, list[Row]] = {}

    def add(self, insert: Insert, rows: Sequence[Row]) -> None:
        """Add rows behind those of the same table."""
        if rows:
            self._rows.setdefault(insert, []).extend(rows)

    async def flush(self, connection: asyncpg.Connection, but: Collection[Table] = ()) -> None:
        """Write the buffered rows in the order of the tables, except those of the tables in `but`."""
        wanted = [insert for insert in self._rows if insert.table not in but]
        for insert in sorted(wanted, key=lambda insert: insert.table):
            await insert.write(connection, self._rows.pop(insert))


RowTarget: TypeAlias = asyncpg.Connection | WriteBuffer
"""Where a row is inserted: a connection writes it at once, a buffer with the next flush."""


async def insert_row(target: RowTarget, insert: Insert, /, **values: Any) -> None:
    """Insert a row of these values."""
    await insert_rows(target, insert, [insert.row(**values)])


async def insert_rows(target: RowTarget, insert: Insert, rows: Sequence[Row]) -> None:
    """Insert rows of one table."""
    if isinstance(target, WriteBuffer):
        target.add(insert, rows)
    elif rows:
        await insert.write(target, rows)
