"""The three clocks of a ledger, and what is odd about them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import asyncpg

from app.domain.moment import rfc_3339
from app.stores.postgres.sql import blocks_beside
from app.stores.postgres.writer_clock import WRITER_CLOCK

SQL = blocks_beside(__file__)

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
