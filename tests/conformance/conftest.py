from __future__ import annotations

from dataclasses import dataclass

import asyncpg
import pytest

from app.domain.numbers import TenantNumber
from app.embedding import Embedder
from app.stores.graph_reader import GraphReader
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import GraphLocation
from app.stores.neo4j.traversal import Neo4jTraversal
from app.stores.postgres.graph_reader import PostgresTraversal
from app.stores.postgres.pool import Database
from tests.conftest import memory_on
from tests.documents import ProjectFixture
from tests.graphql.scattering import ScatteringEmbedder
from tests.projector.conftest import Copy
from tests.projector.settings import settings_of


@pytest.fixture
async def copy(
    database: Database,
    embedder: Embedder,
    tenant: TenantNumber,
    database_url: str,
    owner: asyncpg.Connection,
    graph: Graph,
    neo4j: GraphLocation,
) -> Copy:
    """A ledger whose vectors cost nothing, and an empty graph beside it."""
    light = memory_on(database, ScatteringEmbedder(embedder), tenant)
    return Copy(light, owner, graph, settings_of(database_url, neo4j))


@dataclass(frozen=True)
class Scene:
    """A project, and one of the readers that have to answer the same about it."""

    desk: ProjectFixture
    copy: Copy
    reader: GraphReader

    async def read(self) -> GraphReader:
        """Return the reader, once there is nothing that it lacks."""
        await self.copy.catch_up()
        return self.reader


@pytest.fixture(params=[PostgresTraversal, Neo4jTraversal], ids=["postgres", "neo4j"])
def scene(request: pytest.FixtureRequest, copy: Copy) -> Scene:
    """A project of the test's own, read from one store and then from the other."""
    database = copy.memory.database
    reader: GraphReader = (
        PostgresTraversal(database)
        if request.param is PostgresTraversal
        else Neo4jTraversal(copy.graph, database)
    )
    return Scene(ProjectFixture(copy.memory, "project"), copy, reader)
