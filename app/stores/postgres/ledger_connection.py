"""One connection to the ledger: its codecs, the tenant it is bound to, and what its role may not be."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import asyncpg
import orjson
from pgvector.asyncpg import register_vector

from app.errors import Unavailable
from app.stores.postgres import deadlines
from app.stores.postgres.rows import SEARCHED, Collected, Table
from app.stores.postgres.transactions import reading_transaction

_BINARY_JSON = b"\x01"  # the version byte that PostgreSQL puts before binary jsonb

# A superuser is a member of every role; and what a role may become counts as what it is.
_PRIVILEGE = """
WITH reachable AS (
    SELECT * FROM pg_roles WHERE pg_has_role(current_user, oid, 'MEMBER')
)
SELECT EXISTS (
    SELECT FROM reachable
    WHERE rolsuper OR rolbypassrls OR rolcreaterole OR rolreplication
        OR starts_with(rolname, 'pg_')
        OR EXISTS (
            SELECT FROM pg_class
            WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND relowner = reachable.oid
        )
)
"""


class LedgerConnection(asyncpg.Connection):  # type: ignore[misc]
    """A connection that remembers its tenant and its search width: setting the same again costs nothing.

    Every statement raises Unavailable when the database does not answer it within `seconds`.

    While it collects rows, those that wait are written before any statement that could miss them, and what
    only questions read at the end.
    """

    seconds: ClassVar[float] = deadlines.READ_ANSWER
    collected: Collected | None = None
    _tenant: int | None = None
    _width: int | None = None

    def collect(self, collected: Collected | None) -> None:
        """Let rows wait here from now on; without it, none waits any more, and what did is forgotten."""
        self.collected = collected

    async def write_collected(self, but: Collection[Table] = ()) -> None:
        """Write the rows that wait, save those of some tables."""
        collected = self.collected
        if collected is None:
            return
        self.collected = None
        try:
            for insert, rows in collected.taken(but):
                await insert.write(self, rows)
        finally:
            self.collected = collected

    async def execute(self, *given: Any, **named: Any) -> Any:
        """Execute a statement, after the rows that wait."""
        await self.write_collected(SEARCHED)
        async with deadlines.answered_within(self, self.seconds):
            return await super().execute(*given, **named)

    async def executemany(self, *given: Any, **named: Any) -> Any:
        """Execute a statement for each of several arguments, after the rows that wait."""
        await self.write_collected(SEARCHED)
        async with deadlines.answered_within(self, self.seconds):
            return await super().executemany(*given, **named)

    async def fetch(self, *given: Any, **named: Any) -> Any:
        """Answer the rows of a statement, after the rows that wait."""
        await self.write_collected(SEARCHED)
        async with deadlines.answered_within(self, self.seconds):
            return await super().fetch(*given, **named)

    async def fetchrow(self, *given: Any, **named: Any) -> Any:
        """Answer the first row of a statement, after the rows that wait."""
        await self.write_collected(SEARCHED)
        async with deadlines.answered_within(self, self.seconds):
            return await super().fetchrow(*given, **named)

    async def fetchval(self, *given: Any, **named: Any) -> Any:
        """Answer a value of the first row of a statement, after the rows that wait."""
        await self.write_collected(SEARCHED)
        async with deadlines.answered_within(self, self.seconds):
            return await super().fetchval(*given, **named)

    async def bind(self, tenant: int) -> None:
        """Let row level security show this tenant alone; call it outside a transaction."""
        if self._tenant == tenant:
            return
        # Forgotten first: if the statement is cut off, nobody knows which tenant the session is left with.
        self._tenant = None
        await self.execute("SELECT set_config('trigraph.tenant', $1, false)", str(tenant))
        self._tenant = tenant

    async def keep_at_hand(self, width: int) -> None:
        """Let searches in an index of vectors keep so many of the nearest at hand; call it like `bind`."""
        if self._width == width:
            return
        self._width = None
        await self.execute("SELECT set_config('hnsw.ef_search', $1, false)", str(width))
        self._width = width


class WritingConnection(LedgerConnection):
    """A connection that writes: what it asks may take longer."""

    seconds = deadlines.WRITE_ANSWER


@asynccontextmanager
async def planned_anew(connection: asyncpg.Connection) -> AsyncIterator[None]:
    """Let the statements of the block be planned for their arguments.

    That pays where an absent argument means everything: one plan for all of them could use no index.
    """
    async with reading_transaction(connection):
        await connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        yield


async def prepared(connection: asyncpg.Connection) -> None:
    """Teach a new connection jsonb as Python values and pgvector's types as its own classes.

    Raises Unavailable when the database lacks pgvector.
    """
    await connection.set_type_codec(
        "jsonb",
        schema="pg_catalog",
        format="binary",
        encoder=lambda value: _BINARY_JSON + orjson.dumps(value),
        decoder=lambda data: orjson.loads(data[1:]),
    )
    try:
        await register_vector(connection)
    except ValueError as error:
        raise Unavailable("the ledger is not migrated: it lacks pgvector; run `trigraph migrate`") from error


async def refuse_a_privileged_role(connection: asyncpg.Connection) -> None:
    """Raise Unavailable when the role could see past row level security, or reach beyond the database."""
    if await connection.fetchval(_PRIVILEGE):
        role = await connection.fetchval("SELECT current_user")
        raise Unavailable(
            f"the database role {role} is a superuser or owns tables, or may become a role that sees the rows"
            " of every tenant; take those rights and memberships from it"
        )
