"""Connections to the ledger: each works as the service's ordinary role and is bound to one tenant."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import asyncpg

from app.errors import Unavailable
from app.stores.postgres.errors import translated
from app.stores.postgres.ledger_connection import LedgerConnection, prepared, refuse_a_privileged_role
from app.stores.postgres.postings_at_hand import PostingsAtHand
from app.stores.postgres.service_role import SERVICE_ROLE
from app.stores.postgres.write_probe import WriteProbe

StatementLogger = Callable[[Any], None]

_CONNECT_SECONDS = 10.0
_CLOSE_SECONDS = 5.0
_SESSION = {
    "role": SERVICE_ROLE,
    "application_name": "trigraph",
    "search_path": "public",
    "timezone": "UTC",
    "jit": "off",
    # Every statement runs well by one plan, and planning the long ones anew costs more than running them.
    "plan_cache_mode": "force_generic_plan",
    "statement_timeout": "60s",
    "idle_in_transaction_session_timeout": "300s",
    # A search in an index of vectors goes on until it has what was asked for, whatever is filtered out.
    "hnsw.iterative_scan": "relaxed_order",
}
_BROKEN = "the connection to the database broke; retry"


class Database:
    """A pool of connections and the three ways to use one: to read, to read one moment, to write.

    Beside it is what the process keeps at hand of this database's postings, and whether writes succeed.

    Every way raises Unavailable when the database does not answer or no connection comes free in time, and
    says what the database refuses in the words of app.errors.
    """

    def __init__(self, pool: asyncpg.Pool, patience: float) -> None:
        self._pool = pool
        self._patience = patience
        self.postings_at_hand = PostingsAtHand()
        self.write_probe = WriteProbe(self.writing)
        self._loggers: list[StatementLogger] = []

    @classmethod
    async def open(cls, url: str, *, size: int, patience: float = 10.0) -> Database:
        """Connect as the service's role, with at most `size` connections, each waited for `patience` seconds.

        Raises Unavailable when the server does not answer, the ledger is not migrated, or the role could
        see past row level security.
        """
        pool = asyncpg.create_pool(
            url,
            init_size=1,
            min_size=0,
            max_size=size,
            connection_class=LedgerConnection,
            init=prepared,
            reset=_keep,
            timeout=_CONNECT_SECONDS,
            server_settings=_SESSION,
        )
        database = cls(pool, patience)
        with _spoken():
            await pool
        try:
            async with database._connection(None) as connection:
                await refuse_a_privileged_role(connection)
        except BaseException:
            pool.terminate()
            raise
        return database

    async def close(self) -> None:
        """Close every connection, waiting a few seconds for those in use and then breaking them."""
        try:
            await asyncio.wait_for(self._pool.close(), _CLOSE_SECONDS)
        except TimeoutError:
            self._pool.terminate()

    @asynccontextmanager
    async def reading(self, tenant: int) -> AsyncIterator[asyncpg.Connection]:
        """Lend a connection bound to the tenant; each statement sees what was committed when it began."""
        async with self._connection(tenant) as connection:
            yield connection

    @asynccontextmanager
    async def snapshot(self, tenant: int) -> AsyncIterator[asyncpg.Connection]:
        """Lend a connection bound to the tenant whose statements all see one moment and change nothing."""
        async with (
            self._connection(tenant) as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            yield connection

    @asynccontextmanager
    async def writing(self, tenant: int) -> AsyncIterator[asyncpg.Connection]:
        """Lend a connection inside a transaction: committed at the end, rolled back on any exception."""
        with self.write_probe.watching():
            async with (
                self._connection(tenant) as connection,
                connection.transaction(isolation="read_committed"),
            ):
                yield connection

    @contextmanager
    def logging(self, logger: StatementLogger) -> Iterator[None]:
        """Report every statement of the connections lent while the block lasts, as asyncpg's LoggedQuery."""
        self._loggers.append(logger)
        try:
            yield
        finally:
            self._loggers.remove(logger)

    @asynccontextmanager
    async def _connection(self, tenant: int | None) -> AsyncIterator[asyncpg.Connection]:
        connection = await self._acquired()
        loggers = list(self._loggers)
        try:
            with _spoken(connection):
                if tenant is not None:
                    await connection.bind(tenant)
                for logger in loggers:
                    connection.add_query_logger(logger)
                yield connection
        finally:
            for logger in loggers:
                connection.remove_query_logger(logger)
            await self._released(connection)

    async def _released(self, connection: Any) -> None:
        """Give a connection back; one that broke went back by itself, and hides not why the block ended."""
        try:
            await self._pool.release(connection)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError):
            if not _is_gone(connection):
                raise

    async def _acquired(self) -> Any:
        with _spoken():
            try:
                # Not the pool's own timeout, which makes a task of every wait.
                async with asyncio.timeout(self._patience):
                    return await self._pool.acquire()
            except TimeoutError as error:
                raise Unavailable(
                    f"no database connection came free within {self._patience:g} seconds; retry later"
                ) from error


@contextmanager
def _spoken(lent: asyncpg.Connection | None = None) -> Iterator[None]:
    """Say the driver's errors in the words of app.errors; the caller's own errors pass as they are."""
    try:
        yield
    except asyncpg.PostgresError as error:
        if lent is None:
            raise Unavailable(_refusal(error)) from error
        meaning = translated(error)
        if meaning is error:
            raise
        raise meaning from error
    except asyncpg.InternalClientError as error:
        # What the driver says when a server that is stopping speaks first.
        if lent is not None:
            lent.terminate()
        raise Unavailable(_BROKEN) from error
    except (asyncpg.InterfaceError, OSError) as error:
        if lent is None:
            raise Unavailable(f"the database does not answer: {error}") from error
        if _is_gone(lent):
            raise Unavailable(_BROKEN) from error
        raise


def _is_gone(lent: asyncpg.Connection) -> bool:
    try:
        return bool(lent.is_closed())
    except asyncpg.InterfaceError:  # the pool took it back because it closes
        return True


def _refusal(error: asyncpg.PostgresError) -> str:
    """Say why no connection came about; a role that does not exist yet is the commonest reason."""
    if isinstance(error, asyncpg.InvalidParameterValueError):
        return f"the ledger is not migrated ({error}); run `trigraph migrate`"
    return f"the database refuses the connection: {error}"


async def _keep(_connection: asyncpg.Connection) -> None:
    """Keep the session: asyncpg has ended any transaction already, and a full reset costs a round trip."""
