"""Time limits for the service's database operations, in seconds.

The server cancels a statement a little before the driver's own limit. If the driver still waits then, the
server hangs, and the driver breaks the connection.
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
async def time_limit(connection: asyncpg.Connection, seconds: float) -> AsyncIterator[None]:
    """Limit the time of the block's statements; break the connection when the limit passes.

    Raises Unavailable when the database does not answer in so many seconds.
    """
    try:
        async with timeout(seconds):
            yield
    except TimeoutError as error:
        break_off(connection)
        raise Unavailable(
            f"the database did not respond within {seconds:g} seconds; retry later", retry_after=RETRY_AFTER
        ) from error


def break_off(connection: Any) -> None:
    """Terminate a connection without contacting the server; do nothing if the pool took it back."""
    with suppress(asyncpg.InterfaceError):
        connection.terminate()
