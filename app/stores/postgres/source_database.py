"""A read-only connection to a source database."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import asyncpg

from app.errors import Forbidden, Invalid, NotFound, Unavailable
from app.stores.named_blocks import sql_blocks

_CONNECT_SECONDS = 10.0
_BROKEN = "the connection to the source database broke"


@asynccontextmanager
async def source_connection(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Connect as the user of the address and see one moment of it, read only, until the block ends.

    Raises Invalid when the address is malformed, and Unavailable when no database answers there. No
    message contains the address.
    """
    connection = await _connect(url)
    try:
        with translate_source_errors():
            await connection.transaction(isolation="repeatable_read", readonly=True).start()
        yield connection
    finally:
        # Nothing was written, and what is still being read is of no use to anybody now.
        connection.terminate()


async def _connect(url: str) -> asyncpg.Connection:
    try:
        # The driver takes no address for the machine's own server.
        return await asyncpg.connect(
            url or "//", timeout=_CONNECT_SECONDS, server_settings={"application_name": "trigraph"}
        )
    except (ValueError, asyncpg.InterfaceError):
        # The driver's own words may quote the password, and so may a trace that follows them.
        raise Invalid(
            "the address of the source database must look like postgresql://user@host:5432/name"
        ) from None
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        reason = str(error) or "it took too long"
        raise Unavailable(f"the source database does not respond: {reason}; check its address") from error


@contextmanager
def translate_source_errors() -> Iterator[None]:
    """Translate errors of a source that is forbidden, missing or failing into errors of app.errors."""
    try:
        yield
    except asyncpg.InsufficientPrivilegeError as error:
        raise Forbidden(
            f"the source database denies access: {error}; let the user of its address read the whole table"
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
        raise Invalid(f"the source database reports an error: {error}") from error


SQL = sql_blocks(__file__)

AT_ONCE = 16
"""Rows on their way at once."""

Value: TypeAlias = str | bytes | None


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column; its shape is text, number, moment, list, json, bytes or other; `key_place` starts at 0."""

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
        """The name with its schema, for messages."""
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class SourceRow:
    """The values of the requested columns, lists and JSON as JSON; None if they are too large."""

    values: tuple[Value, ...] | None


async def settle_in(connection: asyncpg.Connection) -> None:
    """Configure the session so that rows hidden by a policy raise an error instead of being left out."""
    with translate_source_errors():
        await connection.execute(SQL["settle_in"])


async def _table_called(
    connection: asyncpg.Connection, schemas: Sequence[str] | None, names: Sequence[str]
) -> SourceTable | None:
    """Return the first table or view with one of these names, in these schemas or on the search path."""
    with translate_source_errors():
        found = await connection.fetchrow(SQL["table_called"], schemas, names)
        if found is None:
            return None
        rows = await connection.fetch(SQL["columns_of"], found["oid"])
    columns = tuple(SourceColumn(row["name"], row["type"], row["shape"], row["key_place"]) for row in rows)
    return SourceTable(found["schema"], found["name"], columns)


async def _tables_there(connection: asyncpg.Connection, most: int) -> list[str]:
    """Return the names of at most `most` tables and views, quoted for SQL."""
    with translate_source_errors():
        return [row["name"] for row in await connection.fetch(SQL["tables_there"], most)]


async def count_rows(connection: asyncpg.Connection, table: SourceTable) -> int:
    """Return the number of rows of a table."""
    with translate_source_errors():
        count: int = await connection.fetchval(f"SELECT count(*) FROM {_quote_table(table)}")
    return count


async def beginnings(
    connection: asyncpg.Connection, table: SourceTable, column: SourceColumn, pattern: str, most: int
) -> list[str]:
    """Return the distinct matches of a regular expression's single group in a column, up to a limit."""
    with translate_source_errors():
        rows = await connection.fetch(
            f"SELECT DISTINCT substring({_quote(column.name)}::text FROM $1) AS found"
            f" FROM {_quote_table(table)} LIMIT $2",
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
    """Yield these columns of every row, through a cursor; rows of more than `largest` bytes are not sent."""
    query = _query(table, columns, order)
    with translate_source_errors():
        async for row in connection.cursor(query, largest, prefetch=AT_ONCE):
            yield SourceRow(tuple(row[1:]) if row["fits"] else None)


def _query(table: SourceTable, columns: Sequence[SourceColumn], order: Sequence[SourceColumn]) -> str:
    expressions = [_column_expression(column) for column in columns]
    size = " + ".join(f"coalesce(octet_length({each}), 0)" for each in expressions)
    values = ", ".join(f"CASE WHEN size.fits THEN {each} END" for each in expressions)
    sorting = f" ORDER BY {', '.join(f'source.{_quote(column.name)}' for column in order)}" if order else ""
    # Without the offset the planner would work the size out once for each column.
    return (
        f"SELECT size.fits, {values} FROM {_quote_table(table)} AS source"
        f" CROSS JOIN LATERAL (SELECT {size} <= $1::bigint AS fits OFFSET 0) AS size{sorting}"
    )


def _column_expression(column: SourceColumn) -> str:
    """Return the SQL for a column as text, which can hold every moment of the server, or as bytes."""
    name = f"source.{_quote(column.name)}"
    if column.shape == "bytes":
        return name
    return f"to_json({name})::text" if column.shape == "list" else f"{name}::text"


def _quote_table(table: SourceTable) -> str:
    return f"{_quote(table.schema)}.{_quote(table.name)}"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


MAX_TABLES_LISTED = 50

_TABLE_NAME = r'(?:"(?:[^"]|"")+"|[^".]+)'
_TABLE = re.compile(rf"(?:(?P<schema>{_TABLE_NAME})\.)?(?P<table>{_TABLE_NAME})")


async def find_table(connection: asyncpg.Connection, name: str) -> SourceTable:
    """Return the table or view of a name such as public.artifacts or "Old notes".

    A name without quotes matches as it is spelled, or else in lower case. Raises NotFound with a list of the
    tables.
    """
    match = _TABLE.fullmatch(name.strip())
    if match is not None:
        schemas = None if match["schema"] is None else _spellings_of(match["schema"])
        found = await _table_called(connection, schemas, _spellings_of(match["table"]))
        if found is not None:
            return found
    there = await _tables_there(connection, MAX_TABLES_LISTED + 1)
    listed = ", ".join(there[:MAX_TABLES_LISTED]) + (" and more" if len(there) > MAX_TABLES_LISTED else "")
    raise NotFound(f"there is no table {name} in the source database; it has {listed or 'no tables'}")


def _spellings_of(name: str) -> list[str]:
    if name.startswith('"'):
        return [name[1:-1].replace('""', '"')]
    return [name, name.lower()]
