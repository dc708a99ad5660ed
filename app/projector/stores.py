"""The two stores of a projection, each opened when it first answers and kept from then on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Self

import asyncpg

from app.settings import Settings
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.link import GraphLink
from app.stores.postgres.location import LedgerLocation, locate_ledger
from app.stores.postgres.migrate import check
from app.stores.postgres.owner_connection import owner_connection


class Stores:
    """The ledger and the graph that the settings name; an embedded server that died is started again.

    The graph is reached by `link` where the process has one already, which stays its owner's to close.
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
        """Lend a connection of the ledger's owner, who sees every tenant.

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
        """Answer the graph; raises Unavailable when an embedded one cannot start, Invalid without any."""
        if self._link is None:
            self._link = await self._opened.enter_async_context(GraphLink(self._settings))
        return await self._link.open()
