"""The two stores of a projection, and the projection's status."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Self

import asyncpg

from app.domain.temporal import from_microseconds
from app.settings import Settings
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.projection import checkpoint_of, failure_of
from app.stores.neo4j.shared_connection import GraphLink
from app.stores.postgres import outbox
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.location import LedgerLocation, locate_ledger
from app.stores.postgres.migrate import check


class Stores:
    """The ledger and the graph that the settings name; an embedded server that died is started again.

    The graph is reached through `link` if the process already has one, which its owner closes.
    """

    def __init__(self, settings: Settings, link: GraphLink | None = None) -> None:
        self._settings = settings
        self._opened = AsyncExitStack()
        self._location: LedgerLocation | None = None
        self._link = link

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()

    @asynccontextmanager
    async def ledger(self) -> AsyncIterator[asyncpg.Connection]:
        """Yield a connection as the ledger's owner, who sees every tenant.

        Raises Unavailable when the database does not answer, Conflict when it is not migrated.
        """
        if self._location is None:
            self._location = await locate_ledger(self._settings)
            self._opened.push_async_callback(self._location.close)
        elif self._location.embedded is not None:
            await asyncio.to_thread(self._location.embedded.keep_running)
        await check(self._location.url)
        async with owner_connection(self._location.url, seconds=None) as owner:
            yield owner

    async def graph(self) -> Graph:
        """Return the graph; raise Unavailable when an embedded one cannot start, Invalid if there is none."""
        if self._link is None:
            self._link = await self._opened.enter_async_context(GraphLink(self._settings))
        return await self._link.open()


@dataclass(frozen=True, slots=True)
class ProjectionStatus:
    """The graph's position, the ledger's, and the recorded reason why projection fails, if any.

    `position` is None if the graph is not a copy of this ledger.
    """

    position: int | None
    ledger_position: int
    behind: int
    failure: str | None = None
    failed_at: datetime | None = None


async def read_standing(owner: asyncpg.Connection, graph: Graph) -> ProjectionStatus:
    """Return the projection's status; raise Unavailable when Neo4j does not answer."""
    checkpoint = await checkpoint_of(graph)
    last, _ = await outbox.outbox_position(owner)
    if checkpoint is None:
        return ProjectionStatus(None, last, await outbox.count_after(owner, 0))
    if checkpoint.ledger != await outbox.ledger_of(owner):
        other = "the graph is a copy of another ledger; run `trigraph projection rebuild` to replace it"
        return ProjectionStatus(None, last, await outbox.count_after(owner, 0), other)
    behind = await outbox.count_after(owner, checkpoint.position)
    failure = await failure_of(graph)
    if failure is None:
        return ProjectionStatus(checkpoint.position, last, behind)
    return ProjectionStatus(checkpoint.position, last, behind, failure.reason, from_microseconds(failure.at))
