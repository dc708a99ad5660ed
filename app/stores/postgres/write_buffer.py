"""Insert rows into the ledger: at once, or buffered and written together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import IntEnum, auto
from typing import Any, TypeAlias

import asyncpg

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
    """How to write one or several rows of a table."""

    table: Table
    write: Writing


def one_by_one(table: Table, statement: str) -> Insert:
    """Return an insert that runs a statement for each row, in one round trip."""

    async def write(connection: asyncpg.Connection, rows: Sequence[Row]) -> None:
        if len(rows) == 1:
            await connection.execute(statement, *rows[0])
        else:
            await connection.executemany(statement, rows)

    return Insert(table, write)


class WriteBuffer:
    """A buffer of rows to be written together."""

    def __init__(self) -> None:
        self._rows: dict[Insert, list[Row]] = {}

    def add(self, insert: Insert, rows: Sequence[Row]) -> None:
        """Add rows behind those of the same table."""
        if rows:
            self._rows.setdefault(insert, []).extend(rows)

    def take(self, but: Collection[Table] = ()) -> list[tuple[Insert, list[Row]]]:
        """Remove and return the buffered rows in write order, except those of the tables in `but`."""
        taken = sorted(
            (insert for insert in self._rows if insert.table not in but), key=lambda insert: insert.table
        )
        return [(insert, self._rows.pop(insert)) for insert in taken]


async def write_searched(connection: asyncpg.Connection) -> None:
    """Write the buffered rows that only recall reads, for a reader in the same write."""
    if getattr(connection, "collected", None) is not None:
        await connection.write_collected()


async def insert_row(connection: asyncpg.Connection, insert: Insert, *row: Any) -> None:
    """Write a row, or buffer it until the connection's next other statement."""
    await insert_rows(connection, insert, [row])


async def insert_rows(connection: asyncpg.Connection, insert: Insert, rows: Sequence[Row]) -> None:
    """Write rows, or buffer them until the connection's next other statement."""
    collected: WriteBuffer | None = getattr(connection, "collected", None)
    if collected is not None:
        collected.add(insert, rows)
    elif rows:
        await insert.write(connection, rows)


def unwrapped(connection: asyncpg.Connection) -> Any:
    """Return the ledger's connection behind the pool's proxy, which is empty once the connection broke.

    Raises InterfaceError when the pool took the connection back, as each of the driver's own methods does.
    """
    connection.is_closed()  # the proxy fails over methods that the driver does not know with AttributeError
    return connection.itself()


@asynccontextmanager
async def collecting(connection: asyncpg.Connection) -> AsyncIterator[None]:
    """Buffer the rows inserted in the block; they are written at its end and before any other statement."""
    ledger = unwrapped(connection)
    ledger.use_buffer(WriteBuffer())
    try:
        yield
        await ledger.write_collected()
    finally:
        ledger.use_buffer(None)
