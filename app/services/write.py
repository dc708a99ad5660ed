"""What every step of one write shares."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import TypeAlias

import asyncpg

from app.domain.entity import Caller, Role
from app.errors import Forbidden
from app.stores.postgres import ledger
from app.stores.postgres.pool import Database

Homonyms: TypeAlias = Mapping[str, tuple[str, ...]]
"""Keys that several documents claim, with the keys by which each of them goes instead."""

NO_HOMONYMS: Homonyms = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Write:
    """One write transaction: its connection, its caller, its transaction time, and what names are unclear."""

    connection: asyncpg.Connection
    caller: Caller
    recorded_at: datetime
    homonyms: Homonyms

    @property
    def tenant(self) -> int:
        """The tenant written to."""
        return self.caller.tenant

    @property
    def actor(self) -> str:
        """The name every row is stamped with."""
        return self.caller.principal


def require_writer(caller: Caller) -> None:
    """Raise Forbidden when a caller may only read."""
    if caller.role is Role.READER:
        raise Forbidden("a reader may not write; ask with the token of an agent or a person")


@asynccontextmanager
async def writing(
    database: Database, caller: Caller, homonyms: Homonyms = NO_HOMONYMS
) -> AsyncIterator[Write]:
    """Lend a write at the next transaction time: committed at the end, nothing kept on any exception.

    The tenant's other writes wait until it has ended. Raises Forbidden for a caller who may only read.
    """
    require_writer(caller)
    async with database.writing(caller.tenant) as connection:
        recorded_at = await ledger.advance_clock(connection, caller.tenant)
        yield Write(connection, caller, recorded_at, homonyms)
