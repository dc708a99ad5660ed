"""The pool of connections to Neo4j, and transactions that fail with errors of Trigraph."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, LiteralString, Self, TypeAlias

from neo4j import READ_ACCESS, WRITE_ACCESS, AsyncDriver, AsyncGraphDatabase, AsyncTransaction, Record
from neo4j.auth_management import AsyncAuthManager, AsyncAuthManagers
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from app.errors import Unavailable
from app.stores.neo4j.location import GraphLocation

_SIGN_IN = "set TRIGRAPH_NEO4J_USER and TRIGRAPH_NEO4J_PASSWORD"
_RESOLVED = re.compile(r" \(resolved to \(.*\)\)")  # the driver prints a Python tuple


@contextmanager
def translate_errors(uri: str) -> Iterator[None]:
    """Raise Unavailable, which names the server, for what the driver raises inside the block."""
    try:
        yield
    except AuthError as error:
        raise Unavailable(f"Neo4j at {uri} rejects the user or password; {_SIGN_IN}") from error
    except Neo4jError as error:
        # It points into a query, line by line.
        message = f"Neo4j at {uri} reports an error: {error.message or error.code}"
        raise Unavailable(message, has_lines=True) from error
    except DriverError as error:
        raise _unavailable(uri, error) from error


@contextmanager
def translate_connection_errors(uri: str) -> Iterator[None]:
    """Do as `translate_errors`, and translate the driver's built-in exceptions; only it may run inside."""
    try:
        with translate_errors(uri):
            yield
    except (OSError, ValueError) as error:
        raise _unavailable(uri, error) from error


def refuses_the_query(error: Unavailable) -> bool:
    """Return whether Neo4j answered that the query itself is wrong, so that a retry cannot help."""
    cause = error.__cause__
    return isinstance(cause, Neo4jError) and str(cause.code).startswith("Neo.ClientError.Statement.")


def _unavailable(uri: str, error: Exception) -> Unavailable:
    detail = _RESOLVED.sub("", str(error).partition("\n")[0]).rstrip(":") or type(error).__name__
    return Unavailable(f"Neo4j at {uri} does not respond: {detail}")


Ask: TypeAlias = Callable[[LiteralString, dict[str, Any]], Awaitable[list[Record]]]
"""Runs a query with its parameters."""

_POOL_SIZE = 20
_CONNECT = 2.0  # seconds; the graph can be read elsewhere meanwhile
_ACQUIRE = 3.0
_CHECK_AFTER = 5.0  # seconds that a connection idles before it is tried first


class Graph:
    """Neo4j, opened once and shared by every task of a process; it connects when first used.

    Every method raises Unavailable when Neo4j does not answer or refuses. Nothing is retried here:
    the caller knows whether to wait, to ask again or to read elsewhere.
    """

    def __init__(self, location: GraphLocation) -> None:
        self._location = location
        self._uri = location.uri
        self._driver = _open(location)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def uri(self) -> str:
        """The address of Neo4j."""
        return self._location.uri

    @asynccontextmanager
    async def reading(self, seconds: float | None = None) -> AsyncIterator[AsyncTransaction]:
        """Yield a transaction that reads; the server ends it when it takes longer than `seconds`."""
        async with self._transaction(READ_ACCESS, seconds) as transaction:
            yield transaction

    @asynccontextmanager
    async def writing(self, seconds: float | None = None) -> AsyncIterator[AsyncTransaction]:
        """Yield a transaction that writes, committed when the block ends and undone when it raises."""
        async with self._transaction(WRITE_ACCESS, seconds) as transaction:
            yield transaction

    async def read(
        self, query: LiteralString, *, seconds: float | None = None, **parameters: Any
    ) -> list[Record]:
        """Return every record of one query that reads."""
        async with self.reading(seconds) as transaction:
            result = await transaction.run(query, parameters)
            return [record async for record in result]

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[Ask]:
        """Yield a function that returns all records of a read query, each query in its own transaction.

        One transaction for several queries would be no more consistent and would cost two more round trips.
        """
        driver = await self._current()

        async def ask(query: LiteralString, parameters: dict[str, Any]) -> list[Record]:
            with translate_connection_errors(self.uri):
                result = await session.run(query, parameters)
                return [record async for record in result]

        async with driver.session(default_access_mode=READ_ACCESS) as session:
            yield ask

    async def write(self, query: LiteralString, **parameters: Any) -> list[Record]:
        """Run one query in its own write transaction and return every record."""
        async with self.writing() as transaction:
            result = await transaction.run(query, parameters)
            return [record async for record in result]

    async def alter(self, statement: LiteralString) -> None:
        """Run a statement that changes the schema, or one that commits by itself."""
        driver = await self._current()
        async with driver.session() as session:
            with translate_connection_errors(self.uri):
                await (await session.run(statement)).consume()

    async def version(self) -> str:
        """Return the server's version, such as `5.26.0`."""
        (kernel,) = await self.read(
            "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel'"
            " RETURN versions[0] AS version"
        )
        return str(kernel["version"])

    async def keep_running(self) -> None:
        """Start the embedded server again if it died; do nothing for an external server."""
        if self._location.embedded is not None:
            await asyncio.to_thread(self._location.embedded.keep_running)

    async def close(self) -> None:
        """Close every connection; the caller closes the location."""
        await self._driver.close()

    @asynccontextmanager
    async def _transaction(self, access: str, seconds: float | None) -> AsyncIterator[AsyncTransaction]:
        driver = await self._current()
        async with driver.session(default_access_mode=access) as session:
            with translate_connection_errors(self.uri):
                transaction = await session.begin_transaction(timeout=seconds)
            with translate_errors(self.uri):
                async with transaction:
                    yield transaction
                    await transaction.commit()

    async def _current(self) -> AsyncDriver:
        """Return the driver; a new one if the embedded server restarted on another port."""
        if self._uri != self._location.uri:
            outdated, self._driver, self._uri = self._driver, _open(self._location), self._location.uri
            await outdated.close()
        return self._driver


def _open(location: GraphLocation) -> AsyncDriver:
    with translate_connection_errors(location.uri):
        return AsyncGraphDatabase.driver(
            location.uri,
            auth=_auth(location),
            connection_timeout=_CONNECT,
            connection_acquisition_timeout=_ACQUIRE,
            liveness_check_timeout=_CHECK_AFTER,
            max_connection_pool_size=_POOL_SIZE,
            max_transaction_retry_time=0,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
        )


def _auth(location: GraphLocation) -> AsyncAuthManager | tuple[str, str] | None:
    """Return the credentials; an embedded server's are read from its file, which changes with its data."""
    if location.password is None:
        return None
    embedded = location.embedded
    if embedded is None:
        return location.user, location.password

    async def credentials() -> tuple[str, str]:
        return location.user, embedded.password

    return AsyncAuthManagers.basic(credentials)
