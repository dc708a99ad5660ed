"""What a ledger holds, table by table."""

from __future__ import annotations

import asyncpg

TABLES = """
SELECT relname FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND has_table_privilege(oid, 'SELECT')
ORDER BY relname
"""


async def tables(connection: asyncpg.Connection) -> list[str]:
    """Return the tables of the ledger that this connection may read."""
    return [row["relname"] for row in await connection.fetch(TABLES)]


async def contents(connection: asyncpg.Connection) -> dict[str, str]:
    """Return a digest of every table as this connection sees it."""
    return {
        table: await connection.fetchval(
            f"SELECT count(*) || ' ' || md5(coalesce(string_agg(held::text, '' ORDER BY held::text), ''))"
            f" FROM {table} AS held"
        )
        for table in await tables(connection)
    }
