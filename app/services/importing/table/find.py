"""Finding a table of the source database by its name in SQL."""

from __future__ import annotations

import re

import asyncpg

from app.errors import NotFound
from app.stores.postgres.source_database import SourceTable, table_called, tables_there

MAX_LISTED = 50

_NAME = r'(?:"(?:[^"]|"")+"|[^".]+)'
_TABLE = re.compile(rf"(?:(?P<schema>{_NAME})\.)?(?P<table>{_NAME})")


async def find_table(connection: asyncpg.Connection, name: str) -> SourceTable:
    """Return the table or view of a name such as public.artifacts or "Old notes".

    A name without quotes matches as it is spelled, or else in lower case. Raises NotFound with a list of the
    tables.
    """
    match = _TABLE.fullmatch(name.strip())
    if match is not None:
        schemas = None if match["schema"] is None else _spellings(match["schema"])
        found = await table_called(connection, schemas, _spellings(match["table"]))
        if found is not None:
            return found
    there = await tables_there(connection, MAX_LISTED + 1)
    listed = ", ".join(there[:MAX_LISTED]) + (" and more" if len(there) > MAX_LISTED else "")
    raise NotFound(f"there is no table {name} in the source database; it has {listed or 'no tables'}")


def _spellings(name: str) -> list[str]:
    if name.startswith('"'):
        return [name[1:-1].replace('""', '"')]
    return [name, name.lower()]
