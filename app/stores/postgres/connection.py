"""A connection to the ledger: its codecs, its tenant, and the check of its role's privileges."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import orjson
from pgvector.asyncpg import register_vector

from app.domain.numbers import ProjectNumber, TenantNumber
from app.errors import Unavailable
from app.stores.postgres import deadlines
from app.stores.postgres.transactions import reading_transaction

_BIND = """
SELECT set_config('trigraph.tenant', $1, false), set_config('search_path', $2, false),
    set_config('trigraph.project', $3, false)
"""
CANCEL_AGAIN = 1.0  # seconds
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
    """A connection that remembers what it is bound to and its search width: the same again costs nothing.

    Every statement raises Unavailable when the database does not answer it within `seconds`.
    """

    seconds: ClassVar[float] = deadlines.READ_ANSWER
    _bound: tuple[TenantNumber, ProjectNumber | None] | None = None
    _width: int | None = None

    def itself(self) -> Self:
        """Return this connection; asked of the pool's proxy, the connection behind it."""
        return self

    async def execute(self, query: str, *given: Any, **named: Any) -> Any:
        """Execute a statement."""
        async with deadlines.time_limit(self, self.seconds, statements=1):
            return await super().execute(self._own(query), *given, **named)

    async def executemany(self, query: str, *given: Any, **named: Any) -> Any:
        """Execute a statement for each of several arguments."""
        async with deadlines.time_limit(self, self.seconds, statements=1):
            return await super().executemany(self._own(query), *given, **named)

    async def fetch(self, query: str, *given: Any, **named: Any) -> Any:
        """Return the rows of a statement."""
        async with deadlines.time_limit(self, self.seconds, statements=1):
            return await super().fetch(self._own(query), *given, **named)

    async def fetchrow(self, query: str, *given: Any, **named: Any) -> Any:
        """Return the first row of a statement."""
        async with deadlines.time_limit(self, self.seconds, statements=1):
            return await super().fetchrow(self._own(query), *given, **named)

    async def fetchval(self, query: str, *given: Any, **named: Any) -> Any:
        """Return a value of the first row of a statement."""
        async with deadlines.time_limit(self, self.seconds, statements=1):
            return await super().fetchval(self._own(query), *given, **named)

    async def bind(self, tenant: TenantNumber, project: ProjectNumber | None = None) -> None:
        """Set the tenant that row level security shows, and the one project that is there, if not all are.

        Call it outside a transaction.
        """
        if self._bound == (tenant, project):
            return
        # Forgotten first: if the statement is cut off, nobody knows what the session is left with.
        self._bound = None
        shown = ("public", "") if project is None else ("one_project, public", str(project))
        await self.execute(_BIND, str(tenant), *shown)
        self._bound = (tenant, project)

    async def _cancel(self, waiter: Any, cancel_waiter: asyncio.Future[None] | None = None) -> None:
        """Cancel the statement under way; if it goes on, cancel it again and give the connection up.

        PostgreSQL drops a cancellation that comes just before its statement. A second one may meet the next
        statement of the connection, so there must be none.
        """
        cancelling = asyncio.create_task(super()._cancel(waiter, cancel_waiter))
        if cancel_waiter is not None and not (await asyncio.wait([cancel_waiter], timeout=CANCEL_AGAIN))[0]:
            with suppress(TimeoutError):
                async with asyncio.timeout(CANCEL_AGAIN):
                    await super()._cancel(waiter)
            self.terminate()
        await cancelling

    def _own(self, query: str) -> str:
        """Return a statement as one of its own where names mean other relations: each keeps its plan."""
        return query if self._bound is None or self._bound[1] is None else f"/* of one project */ {query}"

    async def set_search_width(self, width: int) -> None:
        """Set how many candidates a vector index search keeps; call it outside a transaction."""
        if self._width == width:
            return
        self._width = None
        await self.execute("SELECT set_config('hnsw.ef_search', $1, false)", str(width))
        self._width = width


def unwrapped(connection: asyncpg.Connection) -> Any:
    """Return the ledger's connection behind the pool's proxy, which is empty once the connection broke.

    Raises InterfaceError when the pool took the connection back, as each of the driver's own methods does.
    """
    connection.is_closed()  # the proxy fails over methods that the driver does not know with AttributeError
    return connection.itself()


class WritingConnection(LedgerConnection):
    """A connection for writes, whose statements may take longer."""

    seconds = deadlines.WRITE_ANSWER


@asynccontextmanager
async def custom_plans(connection: asyncpg.Connection) -> AsyncIterator[None]:
    """Plan each statement of the block for its arguments.

    This helps where an absent argument means everything: a generic plan could use no index.
    """
    async with reading_transaction(connection):
        await connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        yield


async def init_connection(connection: asyncpg.Connection) -> None:
    """Register the codecs for jsonb and pgvector on a new connection.

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
            f"the database role {role} is a superuser or owns tables, or may become a role"
            " that sees the rows of every tenant; revoke those rights and memberships"
        )


_CONNECT_SECONDS = 10.0
_CLOSE_SECONDS = 5.0
MAX_SECONDS = 60.0
_SESSION = {"application_name": "trigraph", "search_path": "public", "timezone": "UTC"}


@asynccontextmanager
async def owner_connection(
    url: str, *, seconds: float | None = MAX_SECONDS
) -> AsyncIterator[asyncpg.Connection]:
    """Connect as the user of the address and close at the end.

    `seconds` is the time limit of one statement; None means no limit, as for a migration. Raises
    Unavailable, naming the address without its password, when no database answers, and when a statement takes
    longer.
    """
    try:
        connection = await asyncpg.connect(
            url, timeout=_CONNECT_SECONDS, command_timeout=seconds, server_settings=_SESSION
        )
    except (ValueError, asyncpg.InterfaceError) as error:
        # The driver's own words may quote the password.
        raise Unavailable(
            "the database URL must look like postgresql://user:password@host:5432/name"
        ) from error
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        reason = str(error) or "it took too long"
        raise Unavailable(
            f"no database responds at {without_password(url)}: {reason}; start it, check the"
            " address, or unset TRIGRAPH_DATABASE_URL to use the embedded one"
        ) from error
    try:
        yield connection
    except TimeoutError as error:
        connection.terminate()
        raise Unavailable("the database did not respond in time; retry later") from error
    finally:
        # What was done is done, however the server takes leave; the driver breaks off by itself.
        with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            await connection.close(timeout=_CLOSE_SECONDS)


def without_password(url: str) -> str:
    """Return the address without its password and query."""
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    name = user.partition(":")[0]
    return urlunsplit((parts.scheme, f"{name}@{host}" if name else host, parts.path, "", ""))


SERVICE_ROLE = "trigraph_service"


def as_service(url: str) -> str:
    """Return an address for the same database as the service's own role."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{SERVICE_ROLE}@{host}"))
