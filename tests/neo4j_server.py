"""The Neo4j that tests use: an embedded one for the whole session, or the server that a variable names."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.stores.file_locks import hold_lock
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.embedded.jars import install_jars
from app.stores.neo4j.embedded.layout import USER, Layout
from app.stores.neo4j.embedded.server import EmbeddedNeo4j, Neo4jServer
from app.stores.neo4j.location import GraphLocation

VARIABLE = "TRIGRAPH_TEST_NEO4J"  # a server that may be emptied: _URI, and _USER and _PASSWORD if it asks


@asynccontextmanager
async def opened_neo4j() -> AsyncIterator[GraphLocation]:
    """Yield the server of the variable, or start an embedded one and stop it afterwards."""
    if uri := os.environ.get(f"{VARIABLE}_URI"):
        user = os.environ.get(f"{VARIABLE}_USER", USER)
        yield GraphLocation(uri, user, os.environ.get(f"{VARIABLE}_PASSWORD"))
        return
    await asyncio.to_thread(install_jars, lambda done, total: None)
    with tempfile.TemporaryDirectory(prefix="trigraph-neo4j-") as folder:
        embedded = await asyncio.to_thread(EmbeddedNeo4j.start, Path(folder))
        try:
            yield GraphLocation(embedded.uri, USER, embedded.password, embedded)
        finally:
            embedded.stop()
            await asyncio.to_thread(stop_server, Path(folder))


def stop_server(home: Path) -> None:
    """Stop the embedded server of a home at once, whoever uses it."""
    layout = Layout(home.resolve())
    with hold_lock(layout.starting):
        Neo4jServer(layout).stop()


async def empty(graph: Graph) -> None:
    """Take away every node, relationship, constraint and index."""
    for kind, kinds in (("CONSTRAINT", "CONSTRAINTS"), ("INDEX", "INDEXES")):
        shown = await graph.read(f"SHOW {kinds} YIELD name, type WHERE type <> 'LOOKUP' RETURN name")
        for record in shown:
            await graph.alter(f"DROP {kind} `{record['name']}`")
    await graph.alter("MATCH (node) CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 5000 ROWS")
