"""The ledger's clock and the position of a write."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import asyncpg

from app.domain.temporal import AsOf, rfc_3339
from app.domain.text import UNKEEPABLE, fold
from app.stores.named_blocks import sql_blocks

# A virtual machine that slept for a weekend sets its clock forward, and is right.
MAX_STEP = timedelta(days=30)

_UPTIME = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def _wall() -> datetime:
    return datetime.now(UTC)


def _uptime() -> float:
    return time.clock_gettime(_UPTIME)


class WriterClock:
    """A clock in UTC that does not follow a step forward of the machine's clock by more than `MAX_STEP`.

    It measures from the moment it was made by what runs evenly, whatever the machine's clock is set to.
    `wall` returns the machine's time, `uptime` seconds that nobody sets.
    """

    def __init__(self, wall: Callable[[], datetime] = _wall, uptime: Callable[[], float] = _uptime) -> None:
        self._wall = wall
        self._uptime = uptime
        self._began = wall()
        self._began_up = uptime()

    def now(self) -> datetime:
        """Return the machine's time, or what it would be without the step."""
        steady = self._began + timedelta(seconds=self._uptime() - self._began_up)
        wall = self._wall()
        return steady if wall - steady > MAX_STEP else wall


WRITER_CLOCK = WriterClock()


SQL = sql_blocks(__file__)


@dataclass(frozen=True, slots=True)
class Extent:
    """What there is to look at: the clock, projects by number, and the times of the last artifact in them."""

    clock: datetime
    projects: tuple[int, ...]
    latest_valid: datetime | None
    latest_known: datetime | None

    def lies_before(self, moment: AsOf) -> bool:
        """Return whether a moment sees all of it."""
        return (self.latest_valid is None or self.latest_valid <= moment.valid) and (
            self.latest_known is None or self.latest_known <= moment.known
        )


async def advance_clock(connection: asyncpg.Connection, tenant: int) -> datetime:
    """Return the transaction time of this write, later than every earlier one of the tenant.

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
        """Return the next one; other writers of the tenant wait until this transaction ends.

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
    """Return the transaction time up to which this connection sees everything of the tenant."""
    recorded_at: datetime = await connection.fetchval(SQL["read_clock"], tenant)
    return recorded_at


async def read_extent(connection: asyncpg.Connection, tenant: int, project: str | None) -> Extent:
    """Return the clock and the extent of all projects, or of the one with this key."""
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
    """Return a project's key as it is kept; none has the empty one, nor one that cannot be stored."""
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


# What a_second_clock_confirms_a_leap allows.
MAX_DIFFERENCE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Clocks:
    """What the clocks of the database and of this process read, and the time of the tenant's last write."""

    database: datetime
    process: datetime
    ledger: datetime

    @property
    def difference(self) -> str | None:
        """How far the database and this process are apart, in words; None when they agree."""
        apart = self.database - self.process
        if abs(apart) <= MAX_DIFFERENCE:
            return None
        return (
            f"the clock of the database reads {rfc_3339(self.database)},"
            f" {_days(apart)} {'after' if apart > timedelta(0) else 'before'} the clock of this process;"
            " set right whichever is wrong, and start trigraph again"
        )

    @property
    def lead(self) -> str | None:
        """How far the last write is recorded in the future, in words; None when it is not."""
        ahead = self.ledger - min(self.database, self.process)
        if ahead <= MAX_DIFFERENCE:
            return None
        return (
            f"the last write is recorded at {rfc_3339(self.ledger)}, {_days(ahead)} from now, under a clock"
            " that was wrong: every write until then is recorded just after it; the section Clocks of"
            " docs/operations.md says how to go back"
        )


def _days(span: timedelta) -> str:
    days = round(abs(span) / timedelta(days=1))
    return "1 day" if days == 1 else f"{days} days"


async def read_clocks(connection: asyncpg.Connection, tenant: int) -> Clocks:
    """Return what the three clocks read now."""
    row = await connection.fetchrow(SQL["clocks"], tenant)
    return Clocks(row["database"], WRITER_CLOCK.now(), row["ledger"])
