"""How long the service waits for its database, by what it waits for; all in seconds.

The server gives up a statement by itself a little before the driver does. A driver that still waits then has
a server that hangs, and breaks the connection.
"""

from __future__ import annotations

from asyncio import timeout
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import asyncpg

from app.errors import Unavailable

READ_STATEMENT, READ_ANSWER = 8, 10
WRITE_STATEMENT, WRITE_ANSWER = 30, 32
"""An index of vectors may take many of these for the rows of one long document."""

CONNECT = 5.0
TURN = 15.0
"""For the writes of the same process that came before."""

LOCK = 10
"""For the write of another process that holds the ledger."""

READ_LOCK = 3
"""A recall of a moment that has not passed waits for the write at hand."""

IDLE_IN_TRANSACTION = 30
"""Between two statements of a write: an import embeds before it writes."""

PROMPT = 5.0
"""For what costs the server next to nothing, such as to begin a transaction."""

COMMIT = 10.0
UNDO = 2.0
RELEASE = 2.0
CLOSE = 5.0
RETRY_AFTER = 5


@asynccontextmanager
async def answered_within(connection: asyncpg.Connection, seconds: float) -> AsyncIterator[None]:
    """Let the database answer what the block asks; a connection that it leaves without an answer is broken.

    Raises Unavailable when the database does not answer in so many seconds.
    """
    try:
        async with timeout(seconds):
            yield
    except TimeoutError as error:
        break_off(connection)
        raise Unavailable(
            f"the database did not answer within {seconds:g} seconds; retry later", retry_after=RETRY_AFTER
        ) from error


def break_off(connection: Any) -> None:
    """Break a connection, which asks the server for nothing any more; one the pool took back is broken."""
    with suppress(asyncpg.InterfaceError):
        connection.terminate()
