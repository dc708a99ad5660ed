"""Connect the reading of the graph with Neo4j while it answers, and with the ledger else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from app.errors import TrigraphError
from app.settings import Settings
from app.stores.event_loop import background_task
from app.stores.fallback_graph_reader import FallbackGraphReader
from app.stores.graph_reader import GraphReader
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.shared_connection import GraphLink
from app.stores.neo4j.traversal import Neo4jTraversal
from app.stores.postgres.graph_reader import PostgresTraversal
from app.stores.postgres.pool import Database

MAX_DEADLINE = 1.0
POLL_INTERVAL = 1.0
WAIT_SECONDS = 30.0  # seconds; a server that has just started plans slowly

log = logging.getLogger(__name__)


@asynccontextmanager
async def open_fallback_graph_reader(
    settings: Settings, database: Database, link: GraphLink | None = None
) -> AsyncIterator[GraphReader]:
    """Yield a graph reader for the length of the block; Neo4j may come and go meanwhile.

    Opening waits for Neo4j no longer than a request does. Before Neo4j is used, the queries of requests are
    run once as a warm-up, so that no request waits for a server that starts. If the process has a `link`
    already, it is used, and its owner closes it. Neo4j has at most half of a leg's time, so that the ledger
    can answer in the other half. An embedded Neo4j is joined if it runs: the projector starts it.
    """
    reader_waits = min(MAX_DEADLINE, settings.leg_timeout / 2)
    reader = FallbackGraphReader(PostgresTraversal(database), reader_waits)
    async with AsyncExitStack() as opened:
        if link is None:
            link = await opened.enter_async_context(GraphLink(settings))
        keeper = _Keeper(link, database, reader)
        with suppress(TimeoutError):  # the background task goes on trying
            async with asyncio.timeout(reader_waits):
                await keeper.look()
        async with background_task(keeper.keep()):
            yield reader


class _Keeper:
    """Connects the reader with Neo4j once it answers, and restarts an embedded one that died."""

    def __init__(self, link: GraphLink, database: Database, reader: FallbackGraphReader) -> None:
        self._link = link
        self._database = database
        self._reader = reader
        self._problem: str | None = None

    async def keep(self) -> None:
        """Look every second until cancelled."""
        while True:
            await asyncio.sleep(POLL_INTERVAL)
            await self.look()

    async def look(self) -> None:
        """Use Neo4j once it answers; log a problem once, and try again at the next poll."""
        problem = None
        try:
            graph = await self._link.join()
            if graph is not None:
                async with asyncio.timeout(WAIT_SECONDS):
                    await self._use(graph)
        except TimeoutError:
            problem = f"Neo4j does not respond within {WAIT_SECONDS:g} seconds"
        except (TrigraphError, OSError) as error:
            problem = str(error)
        if problem is not None and problem != self._problem:
            log.warning("reading the graph from Postgres: %s", problem)
        self._problem = problem

    async def _use(self, graph: Graph) -> None:
        if self._reader.preferred is not None:
            await self._reader.try_again()
            return
        traversal = Neo4jTraversal(graph, self._database)
        await traversal.warm_up()
        self._reader.preferred = traversal
