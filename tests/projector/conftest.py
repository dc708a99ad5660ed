from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import pytest

from app.domain.numbers import TenantNumber
from app.embedding import Embedder
from app.projector.sync import catch_up, rebuild
from app.projector.verify import Verification, verify
from app.services.container import Memory
from app.settings import Settings
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import GraphLocation
from app.stores.postgres.outbox import projecting_alone
from app.stores.postgres.pool import Database
from tests.conftest import memory_on
from tests.graphql.scattering import ScatteringEmbedder
from tests.projector.settings import settings_of


@dataclass(frozen=True)
class Copy:
    """A ledger, a graph that is to be its copy, and the work that makes it one."""

    memory: Memory
    owner: asyncpg.Connection
    graph: Graph
    settings: Settings

    async def catch_up(self) -> int:
        """Project what is new and answer the position."""
        async with projecting_alone(self.owner):
            return (await catch_up(self.owner, self.graph, lambda rows: None)).position

    async def rebuild(self) -> int:
        """Fill the graph anew and answer how many rows that took."""
        rows: list[int] = []
        async with projecting_alone(self.owner):
            await rebuild(self.owner, self.graph, rows.append)
        return sum(rows)

    async def verify(self) -> Verification:
        """Compare the two, after catching up."""
        async with projecting_alone(self.owner):
            return await verify(self.owner, self.graph)

    async def count(self, pattern: str) -> int:
        """Return how often a Cypher pattern is found."""
        (record,) = await self.graph.read(f"MATCH {pattern} RETURN count(*) AS found")
        return int(record["found"])


@pytest.fixture
async def light(database: Database, embedder: Embedder, tenant: TenantNumber) -> Memory:
    """A memory whose vectors cost nothing."""
    return memory_on(database, ScatteringEmbedder(embedder), tenant)


@pytest.fixture
def settings(database_url: str, neo4j: GraphLocation) -> Settings:
    """Settings that name the test's ledger and the session's Neo4j."""
    return settings_of(database_url, neo4j)


@pytest.fixture
async def graph(neo4j: GraphLocation) -> AsyncIterator[Graph]:
    """Neo4j without nodes; constraints stay from test to test, since making them takes longest."""
    async with Graph(neo4j) as opened:
        await opened.alter("MATCH (node) CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 5000 ROWS")
        yield opened


@pytest.fixture
async def copy(light: Memory, owner: asyncpg.Connection, graph: Graph, settings: Settings) -> Copy:
    """An empty ledger, and an empty graph beside it."""
    return Copy(light, owner, graph, settings)
