"""The now of a request: one instant for all of its fields."""

from __future__ import annotations

import asyncio
from datetime import datetime

import asyncpg

from app.domain.moment import EVERYTHING_KNOWN, present
from app.domain.temporal import AsOf
from app.stores.postgres import ledger


class Present:
    """Remembers what an absent time means; the first field that asks settles it, with one statement."""

    def __init__(self) -> None:
        self._now: datetime | None = None
        self._settling = asyncio.Lock()

    async def instant(self, connection: asyncpg.Connection, tenant: int, as_of: datetime | None) -> datetime:
        """Answer the asked instant, or now."""
        if as_of is not None:
            return as_of
        async with self._settling:
            if self._now is None:
                self._now = present(await ledger.read_clock(connection, tenant))
            return self._now

    async def moment(
        self, connection: asyncpg.Connection, tenant: int, as_of: datetime | None, known_at: datetime | None
    ) -> AsOf:
        """Answer the asked moment; without `known_at`, by all that is believed."""
        return AsOf(await self.instant(connection, tenant, as_of), known_at or EVERYTHING_KNOWN)
