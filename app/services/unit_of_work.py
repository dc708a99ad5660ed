"""The unit of work: one write transaction, and the steps that every withdrawal shares."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import TypeAlias
from uuid import UUID

import asyncpg

from app.domain.entity import Caller, Role, Withdrawal
from app.domain.numbers import TenantNumber
from app.domain.temporal import Interval
from app.errors import Conflict, Forbidden, Invalid
from app.services.lookup_cache import LookupCache
from app.services.parsing import clean_text
from app.stores.postgres import ledger_clock, withdrawals
from app.stores.postgres.pool import Database
from app.stores.postgres.write_buffer import SEARCHED, RowTarget, WriteBuffer

Homonyms: TypeAlias = Mapping[str, tuple[str, ...]]
"""Keys that several documents claim, with the distinct keys those documents have instead."""

NO_HOMONYMS: Homonyms = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class UnitOfWork:
    """One write transaction: its connection, its caller, its transaction time, and the homonyms.

    A write that files documents has a `buffer` of rows still to be written, and a `lookup_cache` of what was
    read from the ledger in advance. Steps insert into `rows`, and read through the connection that `flush`
    returns.
    """

    connection: asyncpg.Connection
    caller: Caller
    recorded_at: datetime
    homonyms: Homonyms
    times: ledger_clock.TransactionTimes
    lookup_cache: LookupCache | None = None
    buffer: WriteBuffer | None = None

    @property
    def tenant(self) -> TenantNumber:
        """The tenant that the write belongs to."""
        return self.caller.tenant

    @property
    def actor(self) -> str:
        """The name every row is stamped with."""
        return self.caller.principal

    @property
    def rows(self) -> RowTarget:
        """What rows are inserted into: the buffer, or the connection if there is none."""
        return self.connection if self.buffer is None else self.buffer

    async def flush(self, *, searched: bool = False) -> asyncpg.Connection:
        """Write the buffered rows, and return the connection, which sees them now.

        Rows that only recall reads stay in the buffer, unless they are `searched` too.
        """
        if self.buffer is not None:
            await self.buffer.flush(self.connection, () if searched else SEARCHED)
        return self.connection

    @property
    def cached(self) -> LookupCache:
        """The lookup cache of a write that files documents, which always has one."""
        assert self.lookup_cache is not None
        return self.lookup_cache

    async def next_transaction_time(self) -> UnitOfWork:
        """Return this write at its next transaction time: it may then retract what it recorded until now."""
        return replace(self, recorded_at=await self.times.next_time())


def require_writer(caller: Caller) -> None:
    """Raise Forbidden if a caller may only read."""
    if caller.role is Role.READER:
        raise Forbidden("a reader may not write; use the token of an agent or a person")


def require_admin(caller: Caller, what: str) -> None:
    """Raise Forbidden unless the caller may make projects and types; `what` says what was asked for."""
    if not caller.may_administer:
        raise Forbidden(f"only an admin may {what}; use the token of an admin")


@asynccontextmanager
async def unit_of_work(
    database: Database, caller: Caller, homonyms: Homonyms = NO_HOMONYMS, times_at_once: int = 1
) -> AsyncIterator[UnitOfWork]:
    """Yield a write at the next transaction time; commit at the end, roll back on any exception.

    The tenant's other writes wait until it has ended. `times_at_once` is how many transaction times are taken
    together. Raises Forbidden for a caller who may only read.
    """
    require_writer(caller)
    async with database.writing(caller.tenant) as connection:
        times = ledger_clock.TransactionTimes(connection, caller.tenant, times_at_once)
        yield UnitOfWork(connection, caller, await times.next_time(), homonyms, times)


MAX_REASON_LENGTH = 2_000


def fit_reason(given: str | None) -> str | None:
    """Return a cleaned reason, None for a blank one; raise Invalid if it is too long."""
    reason = clean_text(given or "").strip()
    if len(reason) > MAX_REASON_LENGTH:
        raise Invalid(f"a reason has at most {MAX_REASON_LENGTH} characters", field="reason")
    return reason or None


def require_lasting(what: str, id: UUID, valid: Interval, now: datetime, *, is_current: bool) -> None:
    """Raise Conflict if the alias or reference of an id has ended already, or was retracted."""
    if not is_current or (valid.end is not None and valid.end <= now):
        raise Conflict(f"this {what} was ended already; read the current one", field=what, current=id)


async def note_withdrawal(write: UnitOfWork, withdrawn: UUID, ended: UUID | None, reason: str | None) -> None:
    """Record who withdraws something, and why."""
    withdrawal = Withdrawal(reason, write.recorded_at, write.actor)
    await withdrawals.insert_withdrawal(await write.flush(), write.tenant, withdrawn, ended, withdrawal)
