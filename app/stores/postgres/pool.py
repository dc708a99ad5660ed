"""Connection pools of the ledger: each connection has the service's role and is bound to one tenant."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from copy import copy
from typing import Any, Self

import asyncpg

from app.domain.numbers import ProjectNumber, TenantNumber
from app.errors import Busy, Unavailable
from app.stores.postgres import deadlines
from app.stores.postgres.connection import (
    SERVICE_ROLE,
    LedgerConnection,
    WritingConnection,
    init_connection,
    refuse_a_privileged_role,
)
from app.stores.postgres.errors import translate_error
from app.stores.postgres.lexical.block_cache import PostingsCache
from app.stores.postgres.transactions import Turns, reading_transaction, writing_transaction
from app.stores.postgres.write_probe import WriteProbe

StatementLogger = Callable[[Any], None]

_SESSION = {
    "role": SERVICE_ROLE,
    "application_name": "trigraph",
    "search_path": "public",
    "timezone": "UTC",
    "jit": "off",
    # Every statement runs well by one plan, and planning the long ones anew costs more than running them.
    "plan_cache_mode": "force_generic_plan",
    "idle_in_transaction_session_timeout": f"{deadlines.IDLE_IN_TRANSACTION}s",
    # A search in an index of vectors goes on until it has what was asked for, whatever is filtered out.
    "hnsw.iterative_scan": "relaxed_order",
}
_READS = {
    "statement_timeout": f"{deadlines.READ_STATEMENT}s",
    "lock_timeout": f"{deadlines.READ_LOCK}s",
}
_WRITES = {
    "statement_timeout": f"{deadlines.WRITE_STATEMENT}s",
    "lock_timeout": f"{deadlines.LOCK}s",
}
_BROKEN = "the connection to the database broke; retry"

log = logging.getLogger(__name__)


def writers_of(size: int) -> int:
    """Return how many of `size` connections are for writes: a fifth of them, at least one."""
    return max(1, size // 5)


class Database:
    """Two pools of connections, and three ways to use one: to read, to read one moment, to write.

    Writers have their own pool, and queue without holding a connection, so that reads never wait for writes.
    The database also has the process's cache of postings and the write probe.

    Each of the three raises Unavailable when the database does not answer or no connection is free in time,
    and translates refusals by the database into errors of app.errors.
    """

    def __init__(self, readers: asyncpg.Pool, writers: asyncpg.Pool, patience: float) -> None:
        self._readers = readers
        self._writers = writers
        self._patience = patience
        self._project: ProjectNumber | None = None
        self._turns = Turns(deadlines.TURN)
        self.postings_cache = PostingsCache()
        self.write_probe = WriteProbe(self.writing)
        self._loggers: list[StatementLogger] = []

    @classmethod
    async def open(cls, url: str, *, size: int, patience: float = 10.0) -> Self:
        """Connect as the service's role, with `size` connections, each waited for `patience` seconds.

        A fifth of them is for writes; both kinds have one at least. Raises Unavailable when the server does
        not answer, the ledger is not migrated, or the role could see past row level security.
        """
        writing = writers_of(size)
        readers = _pool(url, LedgerConnection, _READS, max(1, size - writing))
        database = cls(readers, _pool(url, WritingConnection, _WRITES, writing), patience)
        try:
            with _translate_errors():
                for pool in database._pools:
                    await pool
            async with database._connection(readers, None) as connection:
                await refuse_a_privileged_role(connection)
        except BaseException:
            database._terminate()
            raise
        return database

    def of_project(self, project: ProjectNumber) -> Self:
        """Return this database as it is to a caller of one project: no other one is there."""
        narrowed = copy(self)
        narrowed._project = project
        return narrowed

    @property
    def _pools(self) -> tuple[asyncpg.Pool, asyncpg.Pool]:
        return self._readers, self._writers

    async def close(self) -> None:
        """Close every connection; wait a few seconds for those in use, then terminate them."""
        try:
            async with asyncio.timeout(deadlines.CLOSE):
                await asyncio.gather(*(pool.close() for pool in self._pools))
        except (TimeoutError, asyncpg.InterfaceError):
            self._terminate()

    def _terminate(self) -> None:
        for pool in self._pools:
            with suppress(asyncpg.InterfaceError):  # it never opened
                pool.terminate()

    @asynccontextmanager
    async def reading(self, tenant: TenantNumber) -> AsyncIterator[asyncpg.Connection]:
        """Yield a connection bound to the tenant; each statement sees what was committed when it began."""
        async with self._connection(self._readers, tenant) as connection:
            yield connection

    @asynccontextmanager
    async def snapshot(self, tenant: TenantNumber) -> AsyncIterator[asyncpg.Connection]:
        """Yield a connection bound to the tenant whose statements all see one moment and change nothing."""
        async with (
            self._connection(self._readers, tenant) as connection,
            reading_transaction(connection, isolation="repeatable_read", readonly=True),
        ):
            yield connection

    @asynccontextmanager
    async def writing(self, tenant: TenantNumber) -> AsyncIterator[asyncpg.Connection]:
        """Yield a connection inside a transaction: committed at the end, rolled back on any exception.

        Nothing that follows the commit fails. Raises Busy when the writes before this one take too long,
        and OutcomeUnknown when the database breaks off while it commits.
        """
        async with self._turns.turn(tenant):
            with self.write_probe.watching():
                async with (
                    self._connection(self._writers, tenant) as connection,
                    writing_transaction(connection),
                ):
                    yield connection

    @contextmanager
    def logging(self, logger: StatementLogger) -> Iterator[None]:
        """Report every statement of the connections acquired during the block, as asyncpg's LoggedQuery."""
        self._loggers.append(logger)
        try:
            yield
        finally:
            self._loggers.remove(logger)

    @asynccontextmanager
    async def _connection(
        self, pool: asyncpg.Pool, tenant: TenantNumber | None
    ) -> AsyncIterator[asyncpg.Connection]:
        with deadlines.current_use().noting():
            async with self._acquired(pool, tenant) as connection:
                yield connection

    @asynccontextmanager
    async def _acquired(
        self, pool: asyncpg.Pool, tenant: TenantNumber | None
    ) -> AsyncIterator[asyncpg.Connection]:
        connection = await self._acquire(pool)
        loggers = list(self._loggers)
        try:
            with _translate_errors(connection):
                if tenant is not None:
                    async with deadlines.time_limit(connection, deadlines.PROMPT):
                        await connection.bind(tenant, self._project)
                for logger in loggers:
                    connection.add_query_logger(logger)
                yield connection
        finally:
            with suppress(asyncpg.InterfaceError):  # the pool took it back because it closes
                for logger in loggers:
                    connection.remove_query_logger(logger)
            await _release(pool, connection)

    async def _acquire(self, pool: asyncpg.Pool) -> Any:
        # Not the pool's own timeout, which makes a task of every wait.
        limit = asyncio.timeout(self._patience)
        with _translate_errors():
            try:
                async with limit:
                    return await pool.acquire()
            except TimeoutError as error:
                if not limit.expired():
                    raise
                raise Busy(
                    f"no database connection became free within {self._patience:g} seconds; retry later",
                    retry_after=deadlines.RETRY_AFTER,
                ) from error


async def _release(pool: asyncpg.Pool, connection: Any) -> None:
    """Release a connection; terminate it if that fails, so that the block's own error stays visible."""
    try:
        await pool.release(connection, timeout=deadlines.RELEASE)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError) as error:
        if not _is_gone(connection):
            log.warning("closing a database connection: %s", error or type(error).__name__)
            deadlines.break_off(connection)


def _pool(
    url: str, connections: type[LedgerConnection], deadlines_there: dict[str, str], size: int
) -> asyncpg.Pool:
    return asyncpg.create_pool(
        url,
        init_size=1,
        min_size=0,
        max_size=size,
        connection_class=connections,
        init=init_connection,
        reset=_keep,
        timeout=deadlines.CONNECT,
        command_timeout=connections.seconds,
        server_settings=_SESSION | deadlines_there,
    )


@contextmanager
def _translate_errors(lent: asyncpg.Connection | None = None) -> Iterator[None]:
    """Translate the driver's errors into errors of app.errors; the caller's own errors pass unchanged."""
    try:
        yield
    except asyncpg.PostgresError as error:
        if lent is None:
            raise Unavailable(_refusal(error)) from error
        meaning = translate_error(error)
        if meaning is error:
            raise
        raise meaning from error
    except asyncpg.InternalClientError as error:
        # What the driver says when a server that is stopping speaks first.
        if lent is not None:
            deadlines.break_off(lent)
        raise Unavailable(_BROKEN) from error
    except (asyncpg.InterfaceError, OSError) as error:
        if lent is None:
            reason = str(error) or "it takes too long"
            raise Unavailable(f"the database does not respond: {reason}") from error
        if _is_gone(lent):
            raise Unavailable(_BROKEN) from error
        raise


def _is_gone(lent: asyncpg.Connection) -> bool:
    try:
        return bool(lent.is_closed())
    except asyncpg.InterfaceError:  # the pool took it back because it closes
        return True


def _refusal(error: asyncpg.PostgresError) -> str:
    """Return why no connection was made; most often the role does not exist yet."""
    if isinstance(error, asyncpg.InvalidParameterValueError):
        return f"the ledger is not migrated ({error}); run `trigraph migrate`"
    return f"the database rejects the connection: {error}"


async def _keep(_connection: asyncpg.Connection) -> None:
    """Keep the session: asyncpg has ended any transaction already, and a full reset costs a round trip."""
