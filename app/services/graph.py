"""The graph that requests read: Neo4j's where the settings name one and it is there, else the ledger's."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from app.errors import TrigraphError
from app.settings import EMBEDDED, Settings
from app.stores.background import beside
from app.stores.graph_reader import GraphReader
from app.stores.neo4j.attendance import look
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import locate_graph
from app.stores.neo4j.traversal import Neo4jTraversal
from app.stores.postgres.pool import Database
from app.stores.postgres.traversal import PostgresTraversal
from app.stores.preferred_graph import PreferredGraph

LONGEST_DEADLINE = 1.0
SECONDS_BETWEEN_LOOKS = 1.0

log = logging.getLogger(__name__)


@asynccontextmanager
async def opened_graph(settings: Settings, database: Database) -> AsyncIterator[GraphReader]:
    """Lend what reads the graph while the block lasts; nothing is waited for, and Neo4j may come and go.

    Neo4j has half of a leg's time at most, so that the ledger can still answer in the other half. The
    embedded one is joined when it runs: whoever projects starts it.
    """
    ledger = PostgresTraversal(database)
    if settings.neo4j_uri is None:
        yield ledger
        return
    reader = PreferredGraph(ledger, min(LONGEST_DEADLINE, settings.leg_timeout / 2))
    async with AsyncExitStack() as opened:
        keeper = _Keeper(settings, database, reader, opened)
        await keeper.look()
        async with beside(keeper.keep()):
            yield reader


class _Keeper:
    """Connects the reader with Neo4j once it is there, and starts an embedded one again that died."""

    def __init__(
        self, settings: Settings, database: Database, reader: PreferredGraph, opened: AsyncExitStack
    ) -> None:
        self._settings = settings
        self._database = database
        self._reader = reader
        self._opened = opened
        self._graph: Graph | None = None
        self._problem: str | None = None

    async def keep(self) -> None:
        """Look every second until cancelled."""
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            await self.look()

    async def look(self) -> None:
        """Connect unless that is done; what cannot be done now is said once and tried again later."""
        try:
            if self._graph is not None:
                await self._graph.keep_running()
            elif await self._is_there():
                await self._connect()
            self._problem = None
        except (TrigraphError, OSError) as error:
            if str(error) != self._problem:
                log.warning("the graph is read from Postgres: %s", error)
            self._problem = str(error)

    async def _is_there(self) -> bool:
        if self._settings.neo4j_uri != EMBEDDED:
            return True
        return (await asyncio.to_thread(look, self._settings.home)).location is not None

    async def _connect(self) -> None:
        location = await locate_graph(self._settings)
        if location is None:
            return
        self._opened.push_async_callback(location.close)
        self._graph = await self._opened.enter_async_context(Graph(location))
        self._reader.preferred = Neo4jTraversal(self._graph, self._database)
