"""Rows on their way into the ledger: each written at once, or with its like where a connection collects."""

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
    """What rows are of, in the order in which they are written: nothing before what it refers to."""

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
    MENTION = auto()


SEARCHED = frozenset({Table.PASSAGE, Table.EMBEDDING, Table.POSTING, Table.COUNT})
"""What only questions read: it waits until the end, and costs least for many documents together."""


@dataclass(frozen=True, slots=True)
class Insert:
    """How rows of a table are written: several as well as one."""

    table: Table
    write: Writing


def one_by_one(table: Table, statement: str) -> Insert:
    """Return an insert that runs a statement for each row, all of them in one exchange with the server."""

    async def write(connection: asyncpg.Connection, rows: Sequence[Row]) -> None:
        if len(rows) == 1:
            await connection.execute(statement, *rows[0])
        else:
            await connection.executemany(statement, rows)

    return Insert(table, write)


class WriteBuffer:
    """Rows that wait to be written together."""

    def __init__(self) -> None:
        self._rows: dict[Insert, list[Row]] = {}

    def add(self, insert: Insert, rows: Sequence[Row]) -> None:
        """Let rows wait behind those of their table."""
        if rows:
            self._rows.setdefault(insert, []).extend(rows)

    def taken(self, but: Collection[Table] = ()) -> list[tuple[Insert, list[Row]]]:
        """Return the rows that wait, in the order in which they can be written; they wait no more."""
        taken = sorted(
            (insert for insert in self._rows if insert.table not in but), key=lambda insert: insert.table
        )
        return [(insert, self._rows.pop(insert)) for insert in taken]


async def write_searched(connection: asyncpg.Connection) -> None:
    """Write what waits until the end for somebody who reads it in the same write."""
    if getattr(connection, "collected", None) is not None:
        await connection.write_collected()


async def insert_row(connection: asyncpg.Connection, insert: Insert, *row: Any) -> None:
    """Write a row, or let it wait until a connection that collects is asked anything else."""
    await insert_rows(connection, insert, [row])


async def insert_rows(connection: asyncpg.Connection, insert: Insert, rows: Sequence[Row]) -> None:
    """Write rows, or let them wait until a connection that collects is asked anything else."""
    collected: WriteBuffer | None = getattr(connection, "collected", None)
    if collected is not None:
        collected.add(insert, rows)
    elif rows:
        await insert.write(connection, rows)


@asynccontextmanager
async def collecting(connection: asyncpg.Connection) -> AsyncIterator[None]:
    """Collect the rows that are inserted in the block; its end and any other statement write them first."""
    connection.collect(WriteBuffer())
    try:
        yield
        await connection.write_collected()
    finally:
        connection.collect(None)
