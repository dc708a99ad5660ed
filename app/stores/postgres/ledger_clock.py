"""The ledger's clock: transaction times, and the position of a write."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import asyncpg

from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.temporal import AsOf, present, rfc_3339
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
    """A UTC clock that ignores a step forward of the machine's clock by more than `MAX_STEP`.

    From its creation it measures time by a monotonic clock, whatever the machine's clock is set to.
    `wall` returns the machine's time, `uptime` the monotonic seconds.
    """

    def __init__(self, wall: Callable[[], datetime] = _wall, uptime: Callable[[], float] = _uptime) -> None:
        self._wall = wall
        self._uptime = uptime
        self._began = wall()
        self._began_up = uptime()

    def now(self) -> datetime:
        """Return the machine's time, corrected for the step."""
        steady = self._began + timedelta(seconds=self._uptime() - self._began_up)
        wall = self._wall()
        return steady if wall - steady > MAX_STEP else wall


WRITER_CLOCK = WriterClock()


SQL = sql_blocks(__file__)


@dataclass(frozen=True, slots=True)
class Extent:
    """The extent of the ledger: its clock, projects by number, and the times of their last artifact.

    `has_absences` is whether some document of the tenant was ever absent.
    """

    clock: datetime
    projects: tuple[ProjectNumber, ...]
    latest_valid: datetime | None
    latest_known: datetime | None
    has_absences: bool

    def lies_before(self, moment: AsOf) -> bool:
        """Return whether all of it lies before a moment."""
        return (self.latest_valid is None or self.latest_valid <= moment.valid) and (
            self.latest_known is None or self.latest_known <= moment.known
        )


async def advance_clock(connection: asyncpg.Connection, tenant: TenantNumber) -> datetime:
    """Return the transaction time of this write, later than every previous one of the tenant.

    Other writers of the tenant wait until this transaction ends.
    """
    return await TransactionTimes(connection, tenant).next_time()


class TransactionTimes:
    """The transaction times of one write, each later than every one before it.

    They are reserved `at_once` at a time, at most a thousand; unused ones are skipped.
    """

    def __init__(self, connection: asyncpg.Connection, tenant: TenantNumber, at_once: int = 1) -> None:
        self._connection = connection
        self._tenant = tenant
        self._at_once = at_once
        self._left: list[datetime] = []

    async def next_time(self) -> datetime:
        """Return the next transaction time; other writers of the tenant wait until this transaction ends.

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


async def read_clock(connection: asyncpg.Connection, tenant: TenantNumber) -> datetime:
    """Return the transaction time up to which this connection sees everything of the tenant."""
    recorded_at: datetime = await connection.fetchval(SQL["read_clock"], tenant)
    return recorded_at


async def read_present(connection: asyncpg.Connection, tenant: TenantNumber) -> datetime:
    """Return the present: the later of now and the tenant's clock, so that what was just written exists."""
    return present(await read_clock(connection, tenant))


class Present:
    """The present of one request, now and all that is recorded; the first read that needs it settles it."""

    def __init__(self) -> None:
        self._settled: AsOf | None = None
        self._settling = asyncio.Lock()

    async def read(self, connection: asyncpg.Connection, tenant: TenantNumber) -> AsOf:
        """Return the present, the same for the whole request."""
        async with self._settling:
            if self._settled is None:
                clock = await read_clock(connection, tenant)
                self._settled = AsOf(present(clock), clock)
            return self._settled


@dataclass(frozen=True, slots=True)
class RequestedMoment:
    """The instants that a read asks for; an absent one is that of the present of its request."""

    as_of: datetime | None = None
    known_at: datetime | None = None
    present: Present = field(default_factory=Present, compare=False)

    async def settle(self, connection: asyncpg.Connection, tenant: TenantNumber) -> AsOf:
        """Return the moment to read at."""
        if self.as_of is not None and self.known_at is not None:
            return AsOf(self.as_of, self.known_at)
        now = await self.present.read(connection, tenant)
        return AsOf(self.as_of or now.valid, self.known_at or now.known)


async def read_extent(connection: asyncpg.Connection, tenant: TenantNumber, project: str | None) -> Extent:
    """Return the clock and the extent of all projects, or of the one with this key."""
    rows = await connection.fetch(
        SQL["read_extent"], tenant, None if project is None else _stored_key(project)
    )
    return Extent(
        clock=rows[0]["clock"],
        projects=tuple(row["project_id"] for row in rows if row["project_id"] is not None),
        latest_valid=max(
            (row["latest_created_at"] for row in rows if row["latest_created_at"]), default=None
        ),
        latest_known=max(
            (row["latest_recorded_at"] for row in rows if row["latest_created_at"]), default=None
        ),
        has_absences=rows[0]["has_absences"],
    )


def _stored_key(project: str) -> str:
    """Return a project's key as stored; the empty key, which no project has, if it cannot be stored."""
    return "" if UNKEEPABLE.search(project) else fold(project)


async def read_settled_clock(connection: asyncpg.Connection, tenant: TenantNumber) -> datetime:
    """Wait for the current write, then return the clock: nothing more is recorded before it."""
    recorded_at: datetime = await connection.fetchval(SQL["read_settled_clock"], tenant)
    return recorded_at


async def finish_write(connection: asyncpg.Connection) -> int | None:
    """Check every deferred constraint and return the write's position; None if it changed nothing."""
    await connection.execute(SQL["check_rules_now"])
    position: int | None = await connection.fetchval(SQL["position_of_this_transaction"])
    return position


# What a_second_clock_confirms_a_leap allows.
MAX_DIFFERENCE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Clocks:
    """The readings of the database's and this process's clocks, and the time of the tenant's last write."""

    database: datetime
    process: datetime
    ledger: datetime

    @property
    def difference(self) -> str | None:
        """The difference between the database's and this process's clocks, in words; None if they agree."""
        apart = self.database - self.process
        if abs(apart) <= MAX_DIFFERENCE:
            return None
        return (
            f"the clock of the database reads {rfc_3339(self.database)}, {_days(apart)}"
            f" {'after' if apart > timedelta(0) else 'before'} the clock of this process;"
            " correct the wrong clock, and start trigraph again"
        )

    @property
    def lead(self) -> str | None:
        """How far in the future the last write is recorded, in words; None if it is not."""
        ahead = self.ledger - min(self.database, self.process)
        if ahead <= MAX_DIFFERENCE:
            return None
        return (
            f"the last write was recorded at {rfc_3339(self.ledger)}, {_days(ahead)} from"
            " now, when a clock was wrong: until then every write is recorded just after"
            " it; the section Clocks of docs/operations.md says how to correct this"
        )


def _days(span: timedelta) -> str:
    days = round(abs(span) / timedelta(days=1))
    return "1 day" if days == 1 else f"{days} days"


async def read_clocks(connection: asyncpg.Connection, tenant: TenantNumber) -> Clocks:
    """Return the current readings of the three clocks."""
    row = await connection.fetchrow(SQL["clocks"], tenant)
    return Clocks(row["database"], WRITER_CLOCK.now(), row["ledger"])
