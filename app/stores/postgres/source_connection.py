"""A connection to somebody else's database, which is read and never written."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import asyncpg

from app.errors import Forbidden, Invalid, Unavailable

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
