"""The ledger's clock and the position of a write."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import asyncpg

from app.domain.surface_form import UNKEEPABLE, fold
from app.domain.temporal import AsOf
from app.stores.postgres.sql import blocks_beside
from app.stores.postgres.writer_clock import WRITER_CLOCK

SQL = blocks_beside(__file__)


@dataclass(frozen=True, slots=True)
class Extent:
    """What there is to look at: the clock, projects by number, and the times of the last artifact in them."""

    clock: datetime
    projects: tuple[int, ...]
    latest_valid: datetime | None
    latest_known: datetime | None

    def lies_before(self, moment: AsOf) -> bool:
        """Tell whether a moment sees all of it."""
        return (self.latest_valid is None or self.latest_valid <= moment.valid) and (
            self.latest_known is None or self.latest_known <= moment.known
        )


async def advance_clock(connection: asyncpg.Connection, tenant: int) -> datetime:
    """Answer the transaction time of this write, later than every earlier one of the tenant.

    Other writers of the tenant wait until this transaction ends.
    """
    return await TransactionTimes(connection, tenant).following()


class TransactionTimes:
    """The transaction times of one write, each later than every one before it.

    They are taken `at_once` so many a time, at most a thousand: those that nobody wants are left out.
    """

    def __init__(self, connection: asyncpg.Connection, tenant: int, at_once: int = 1) -> None:
        self._connection = connection
        self._tenant = tenant
        self._at_once = at_once
        self._left: list[datetime] = []

    async def following(self) -> datetime:
        """Answer the next one; other writers of the tenant wait until this transaction ends.

        Raises Unwritable, once the driver's error is translated, when the clocks of the database and of this
        process do not agree on a leap.
        """
        if not self._left:
            # Held first: the time would else be read before the wait, and lie before what readers
            # settled meanwhile.
            await self._connection.execute(SQL["hold_clock"], self._tenant)
            last = await self._connection.fetchval(
                SQL["advance_clock"], self._tenant, self._at_once, WRITER_CLOCK.now()
            )
            self._left = [last - timedelta(microseconds=before) for before in range(self._at_once)]
        return self._left.pop()


async def read_clock(connection: asyncpg.Connection, tenant: int) -> datetime:
    """Answer the transaction time up to which this connection sees everything of the tenant."""
    recorded_at: datetime = await connection.fetchval(SQL["read_clock"], tenant)
    return recorded_at


async def read_extent(connection: asyncpg.Connection, tenant: int, project: str | None) -> Extent:
    """Answer the clock and the extent of all projects, or of the one with this key."""
    rows = await connection.fetch(SQL["read_extent"], tenant, None if project is None else _kept(project))
    return Extent(
        clock=rows[0]["clock"],
        projects=tuple(row["project_id"] for row in rows if row["project_id"] is not None),
        latest_valid=max(
            (row["latest_created_at"] for row in rows if row["latest_created_at"]), default=None
        ),
        latest_known=max(
            (row["latest_recorded_at"] for row in rows if row["latest_created_at"]), default=None
        ),
    )


def _kept(project: str) -> str:
    """Answer a project's key as it is kept; none has the empty one, nor one that cannot be stored."""
    return "" if UNKEEPABLE.search(project) else fold(project)


async def settle_clock(connection: asyncpg.Connection, tenant: int) -> datetime:
    """Wait for the write at hand, then answer the clock: nothing is recorded before now any more."""
    recorded_at: datetime = await connection.fetchval(SQL["settle_clock"], tenant)
    return recorded_at


async def settle(connection: asyncpg.Connection) -> int | None:
    """Check every deferred rule, and answer the write's position; None when it changed nothing."""
    await connection.execute(SQL["check_rules_now"])
    position: int | None = await connection.fetchval(SQL["position_of_this_transaction"])
    return position
