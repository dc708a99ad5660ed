"""Time limits for the service's database operations, in seconds, and what an operation uses of the database.

The server cancels a statement a little before the driver's own limit. If the driver still waits then, the
server hangs, and the driver breaks the connection.
"""

from __future__ import annotations

from asyncio import Task, current_task, timeout
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
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


@dataclass(slots=True, eq=False)
class DatabaseUse:
    """What one operation uses of the database: its tasks with a connection, its statements, their seconds."""

    tasks: set[Task[Any]] = field(default_factory=set)
    statements: int = 0
    seconds: float = 0.0

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note that the task of the block has a connection."""
        task = current_task()
        if task is None or task in self.tasks:
            yield
            return
        self.tasks.add(task)
        try:
            yield
        finally:
            self.tasks.discard(task)


_USE: ContextVar[DatabaseUse] = ContextVar("use of the database", default=DatabaseUse())  # noqa: B039


def current_use() -> DatabaseUse:
    """Return what the operation of this task uses; what belongs to no operation is counted together."""
    return _USE.get()


@contextmanager
def database_use() -> Iterator[DatabaseUse]:
    """Note what the block and its tasks use; at its end cancel the tasks that still use the database."""
    use = DatabaseUse()
    former = _USE.set(use)
    try:
        yield use
    finally:
        _USE.reset(former)
        for task in list(use.tasks):
            task.cancel()


@asynccontextmanager
async def time_limit(
    connection: asyncpg.Connection, seconds: float, statements: int = 0
) -> AsyncIterator[None]:
    """Limit the time of the block's statements, of which it counts so many for its operation.

    Breaks the connection and raises Unavailable when the database does not answer in so many seconds.
    """
    started = perf_counter()
    try:
        async with timeout(seconds):
            yield
    except TimeoutError as error:
        break_off(connection)
        raise Unavailable(
            f"the database did not respond within {seconds:g} seconds; retry later", retry_after=RETRY_AFTER
        ) from error
    finally:
        if statements:
            use = _USE.get()
            use.statements += statements
            use.seconds += perf_counter() - started


def break_off(connection: Any) -> None:
    """Terminate a connection without contacting the server; do nothing if the pool took it back."""
    with suppress(asyncpg.InterfaceError):
        connection.terminate()
