"""Probe whether the ledger accepts writes: look for room on its disk, try one and roll it back."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from time import monotonic

import asyncpg

from app.domain.numbers import TenantNumber
from app.errors import Busy, TrigraphError, Unwritable
from app.stores.named_blocks import sql_blocks
from app.stores.postgres import ledger_clock

# PostgreSQL stops altogether when it cannot make the next file of its log, which has 16 MiB.
MIN_FREE_BYTES = 16 * 2**20


def lack_of_room(folder: Path) -> str | None:
    """Return a message if the disk of a folder is full; None if it has room or its state is unknown."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return None
    if free >= MIN_FREE_BYTES:
        return None
    return (
        f"the disk of {folder} is full: {free / 2**20:.1f} MiB are free, and the database"
        f" needs {MIN_FREE_BYTES // 2**20} MiB; free some space"
    )


SQL = sql_blocks(__file__)

PROBE_SECONDS = 2.0
PROBE_INTERVAL = 2.0
SECONDS_AFTER_A_REFUSAL = 0.5


class _RolledBack(Exception):
    """Raised to roll back a write that was only tried."""


class WriteProbe:
    """Tries a write, at most every two seconds, and remembers when a real one was refused.

    A write that updates one row in place succeeds on a full disk. So once a real write was refused, the next
    probe needs as much disk space as a document.
    """

    def __init__(
        self, writing: Callable[[TenantNumber], AbstractAsyncContextManager[asyncpg.Connection]]
    ) -> None:
        self._writing = writing
        self._one_at_a_time = asyncio.Lock()
        self._needs_room = False
        self._answer: str | None = None
        self._valid_until = 0.0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Remember when the block's write is refused because nothing can be written."""
        try:
            yield
        except Unwritable:
            self._needs_room = True
            self._valid_until = 0.0
            raise

    async def refusal(self, tenant: TenantNumber) -> str | None:
        """Return why the ledger accepts no writes of the tenant now; None if it does.

        Returns the last probe's result when no connection is free in time: then others are writing.
        """
        async with self._one_at_a_time:
            if monotonic() >= self._valid_until:
                self._answer = await self._try(tenant)
                pause = PROBE_INTERVAL if self._answer is None else SECONDS_AFTER_A_REFUSAL
                self._valid_until = monotonic() + pause
            return self._answer

    async def _try(self, tenant: TenantNumber) -> str | None:
        has_connection = False
        try:
            async with asyncio.timeout(PROBE_SECONDS), self._writing(tenant) as connection:
                has_connection = True
                await _write(connection, tenant, needs_room=self._needs_room)
                raise _RolledBack
        except _RolledBack:
            self._needs_room = False
            return None
        except TimeoutError:
            return f"no write finished within {PROBE_SECONDS:g} seconds" if has_connection else self._answer
        except Busy:
            return self._answer  # others write
        except TrigraphError as error:
            return error.message
        except asyncpg.PostgresError as error:
            return f"the database rejects writes: {error}"


async def _write(connection: asyncpg.Connection, tenant: TenantNumber, *, needs_room: bool) -> None:
    if await connection.fetchval(SQL["hold_clock_unless_busy"], tenant) is None:
        return  # somebody writes at this moment
    await ledger_clock.advance_clock(connection, tenant)
    if needs_room:
        await connection.execute(SQL["take_room"], tenant)
