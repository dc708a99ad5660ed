"""A connection to somebody else's database, which is read and never written."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import asyncpg

from app.errors import Forbidden, Invalid, Unavailable
from app.stores.named_blocks import sql_blocks

_CONNECT_SECONDS = 10.0
_BROKEN = "the connection to the source database broke"


@asynccontextmanager
async def source_connection(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Connect as the user of the address and see one moment of it, read only, until the block ends.

    Raises Invalid when the address cannot be read, and Unavailable when no database answers there. No
    message holds the address.
    """
    connection = await _connected(url)
    try:
        with spoken():
            await connection.transaction(isolation="repeatable_read", readonly=True).start()
        yield connection
    finally:
        # Nothing was written, and what is still being read is of no use to anybody now.
        connection.terminate()


async def _connected(url: str) -> asyncpg.Connection:
    try:
        # The driver takes no address for the machine's own server.
        return await asyncpg.connect(
            url or "//", timeout=_CONNECT_SECONDS, server_settings={"application_name": "trigraph"}
        )
    except (ValueError, asyncpg.InterfaceError):
        # The driver's own words may quote the password, and so may a trace that follows them.
        raise Invalid(
            "the address of the source database must read like postgresql://user@host:5432/name"
        ) from None
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        reason = str(error) or "it took too long"
        raise Unavailable(f"the source database does not answer: {reason}; check its address") from error


@contextmanager
def spoken() -> Iterator[None]:
    """Say in the words of app.errors that a source may not be read, is gone, or cannot answer."""
    try:
        yield
    except asyncpg.InsufficientPrivilegeError as error:
        raise Forbidden(
            f"the source database refuses: {error}; let the user of its address read the whole table"
        ) from error
    except (
        asyncpg.PostgresConnectionError,
        asyncpg.OperatorInterventionError,
        asyncpg.TransactionRollbackError,
        asyncpg.InterfaceError,
        asyncpg.InternalClientError,
        OSError,
    ) as error:
        raise Unavailable(f"{_BROKEN}: {error}") from error
    except asyncpg.PostgresError as error:
        raise Invalid(f"the source database answers: {error}") from error


SQL = sql_blocks(__file__)

AT_ONCE = 16
"""Rows on their way at once."""

Value: TypeAlias = str | bytes | None


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column: its shape is text, number, moment, list, json, bytes or other, `key_place` counts from 0."""

    name: str
    type: str
    shape: str
    key_place: int | None


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A table or a view, with its columns in order."""

    schema: str
    name: str
    columns: tuple[SourceColumn, ...]

    @property
    def label(self) -> str:
        """The name with its schema, for people."""
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class SourceRow:
    """The values of the columns that were asked for, lists and JSON as JSON; None when they are too large."""

    values: tuple[Value, ...] | None


async def settle_in(connection: asyncpg.Connection) -> None:
    """Make the session read everything; rows that a policy hides are then an error and not left out."""
    with spoken():
        await connection.execute(SQL["settle_in"])


async def table_called(
    connection: asyncpg.Connection, schemas: Sequence[str] | None, names: Sequence[str]
) -> SourceTable | None:
    """Return the first table or view of these names, in one of these schemas or on the search path."""
    with spoken():
        found = await connection.fetchrow(SQL["table_called"], schemas, names)
        if found is None:
            return None
        rows = await connection.fetch(SQL["columns_of"], found["oid"])
    columns = tuple(SourceColumn(row["name"], row["type"], row["shape"], row["key_place"]) for row in rows)
    return SourceTable(found["schema"], found["name"], columns)


async def tables_there(connection: asyncpg.Connection, most: int) -> list[str]:
    """Return the names of up to so many tables and views, as SQL writes them."""
    with spoken():
        return [row["name"] for row in await connection.fetch(SQL["tables_there"], most)]


async def count_rows(connection: asyncpg.Connection, table: SourceTable) -> int:
    """Return how many rows a table has."""
    with spoken():
        count: int = await connection.fetchval(f"SELECT count(*) FROM {_quoted_table(table)}")
    return count


async def beginnings(
    connection: asyncpg.Connection, table: SourceTable, column: SourceColumn, pattern: str, most: int
) -> list[str]:
    """Return what a regular expression's one group finds in a column, each text once, up to so many."""
    with spoken():
        rows = await connection.fetch(
            f"SELECT DISTINCT substring({_quoted(column.name)}::text FROM $1) AS found"
            f" FROM {_quoted_table(table)} LIMIT $2",
            pattern,
            most,
        )
    return [row["found"] for row in rows if row["found"] is not None]


async def read_rows(
    connection: asyncpg.Connection,
    table: SourceTable,
    columns: Sequence[SourceColumn],
    order: Sequence[SourceColumn],
    largest: int,
) -> AsyncIterator[SourceRow]:
    """Yield these columns of every row, by a cursor; a row of more than `largest` bytes is not sent."""
    query = _query(table, columns, order)
    with spoken():
        async for row in connection.cursor(query, largest, prefetch=AT_ONCE):
            yield SourceRow(tuple(row[1:]) if row["fits"] else None)


def _query(table: SourceTable, columns: Sequence[SourceColumn], order: Sequence[SourceColumn]) -> str:
    taken = [_taken(column) for column in columns]
    size = " + ".join(f"coalesce(octet_length({each}), 0)" for each in taken)
    values = ", ".join(f"CASE WHEN size.fits THEN {each} END" for each in taken)
    sorting = f" ORDER BY {', '.join(f'source.{_quoted(column.name)}' for column in order)}" if order else ""
    # Without the offset the planner would work the size out once for each column.
    return (
        f"SELECT size.fits, {values} FROM {_quoted_table(table)} AS source"
        f" CROSS JOIN LATERAL (SELECT {size} <= $1::bigint AS fits OFFSET 0) AS size{sorting}"
    )


def _taken(column: SourceColumn) -> str:
    """Return a column as text, since a text holds every moment that the server knows, or as bytes."""
    name = f"source.{_quoted(column.name)}"
    if column.shape == "bytes":
        return name
    return f"to_json({name})::text" if column.shape == "list" else f"{name}::text"


def _quoted_table(table: SourceTable) -> str:
    return f"{_quoted(table.schema)}.{_quoted(table.name)}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
