"""One connection to Neo4j per process, shared by all its readers and writers of the graph."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Self

from app.errors import Invalid
from app.settings import EMBEDDED, Settings
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.embedded.control import look
from app.stores.neo4j.location import locate_graph


class GraphLink:
    """The graph that the settings name, opened on first use and kept from then on.

    An embedded server that died is started again. It is closed once, after all its users.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opened = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._graph: Graph | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()

    async def open(self) -> Graph:
        """Return the graph; start it if it is the embedded one.

        Raises Unavailable when that cannot start, and Invalid when the settings name none.
        """
        async with self._opening:
            if self._graph is None:
                location = await locate_graph(self._settings)
                if location is None:
                    raise Invalid("there is no graph to project into: set TRIGRAPH_NEO4J_URI")
                self._opened.push_async_callback(location.close)
                self._graph = await self._opened.enter_async_context(Graph(location))
            else:
                await self._graph.keep_running()
            return self._graph

    async def join(self) -> Graph | None:
        """Return the graph, or None if it is an embedded one that is not running."""
        if self._graph is None and self._settings.neo4j_uri == EMBEDDED:
            status = await asyncio.to_thread(look, self._settings.home)
            if status.location is None:
                return None
        return await self.open()
