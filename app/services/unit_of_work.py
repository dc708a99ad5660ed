"""What every step of one write shares."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import TypeAlias

import asyncpg

from app.domain.entity import Caller, Role
from app.errors import Forbidden
from app.services.lookup_cache import LookupCache
from app.stores.postgres import ledger_clock
from app.stores.postgres.pool import Database

Homonyms: TypeAlias = Mapping[str, tuple[str, ...]]
"""Keys that several documents claim, with the keys by which each of them goes instead."""

NO_HOMONYMS: Homonyms = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class UnitOfWork:
    """One write transaction: its connection, its caller, its transaction time, and what names are unclear.

    `foresight` is what it has read of the ledger beforehand, where it files documents.
    """

    connection: asyncpg.Connection
    caller: Caller
    recorded_at: datetime
    homonyms: Homonyms
    times: ledger_clock.TransactionTimes
    foresight: LookupCache | None = None

    @property
    def tenant(self) -> int:
        """The tenant written to."""
        return self.caller.tenant

    @property
    def actor(self) -> str:
        """The name every row is stamped with."""
        return self.caller.principal

    @property
    def foreseen(self) -> LookupCache:
        """What was read beforehand, in a write that files documents."""
        assert self.foresight is not None
        return self.foresight

    async def later(self) -> UnitOfWork:
        """Return this write at its next transaction time: it may then give up what it believed until now."""
        return replace(self, recorded_at=await self.times.following())


def require_writer(caller: Caller) -> None:
    """Raise Forbidden when a caller may only read."""
    if caller.role is Role.READER:
        raise Forbidden("a reader may not write; ask with the token of an agent or a person")


@asynccontextmanager
async def unit_of_work(
    database: Database, caller: Caller, homonyms: Homonyms = NO_HOMONYMS, times_at_once: int = 1
) -> AsyncIterator[UnitOfWork]:
    """Yield a write at the next transaction time: committed at the end, nothing kept on any exception.

    The tenant's other writes wait until it has ended. `times_at_once` is how many transaction times are taken
    together. Raises Forbidden for a caller who may only read.
    """
    require_writer(caller)
    async with database.writing(caller.tenant) as connection:
        times = ledger_clock.TransactionTimes(connection, caller.tenant, times_at_once)
        yield UnitOfWork(connection, caller, await times.following(), homonyms, times)
