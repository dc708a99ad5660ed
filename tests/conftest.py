from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import asyncpg
import pytest
from hypothesis import settings
from xdist.remote import Producer

from app.domain.entity import Caller, Role
from app.domain.numbers import TenantNumber
from app.embedding import Embedder
from app.embedding.onnx import open_onnx
from app.services.container import Memory
from app.stores.graph_reader import GraphReader
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import GraphLocation
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.database_rights import close_database
from app.stores.postgres.embedded.server import EmbeddedPostgres
from app.stores.postgres.graph_reader import PostgresTraversal
from app.stores.postgres.migrate import migrate
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant
from tests.documents import ProjectFixture
from tests.neo4j_server import empty, opened_neo4j
from tests.sharing import Sharing
from tests.statements import counted as counted_statements

# How long an example takes is the machine's affair.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

TEMPLATE = "template_ledger"
_NUMBERS = count(1)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Sharing:
    """Say how several processes share the tests."""
    return Sharing(config, log)


class Server:
    """The test session's PostgreSQL, and databases made on it by name."""

    def __init__(self, url: str) -> None:
        self.url = url

    def url_of(self, name: str) -> str:
        return self.url.replace("/trigraph?", f"/{name}?")

    async def run(self, statement: str) -> None:
        connection = await asyncpg.connect(self.url)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    async def create(self, template: str = "template1") -> str:
        """Make a database of a new name and answer the name."""
        name = f"ledger_{next(_NUMBERS)}"
        # Copying the files takes a fifth of logging each of their pages.
        await self.run(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        if template == TEMPLATE:  # a copy has the rows and the rules, but not who may do what in it
            async with owner_connection(self.url_of(name)) as owner:
                await close_database(owner)
        return name

    async def drop(self, name: str) -> None:
        await self.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def home() -> Iterator[Path]:
    """A home for the whole session; its path is short, as a unix socket needs."""
    with tempfile.TemporaryDirectory(prefix="trigraph-tests-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
async def server(home: Path) -> AsyncIterator[Server]:
    embedded = await asyncio.to_thread(EmbeddedPostgres.start, home)
    server = Server(embedded.url)
    for setting in ("fsync", "full_page_writes"):  # nothing here outlives the session
        await server.run(f"ALTER SYSTEM SET {setting} = off")
    await server.run("SELECT pg_reload_conf()")
    yield server
    await asyncio.to_thread(embedded.stop)


@pytest.fixture(scope="session")
async def tenant(server: Server) -> TenantNumber:
    """The tenant `local` with its types, in the template and so in every database made from it."""
    await server.run(f"CREATE DATABASE {TEMPLATE}")
    await migrate(server.url_of(TEMPLATE))
    owner = await asyncpg.connect(server.url_of(TEMPLATE))
    try:
        return await ensure_tenant(owner, "local")
    finally:
        await owner.close()


@pytest.fixture
async def database_url(server: Server, tenant: TenantNumber) -> AsyncIterator[str]:
    """A migrated database of its own for each test, as its owner."""
    name = await server.create(TEMPLATE)
    yield server.url_of(name)
    await server.drop(name)


@pytest.fixture
async def empty_database_url(server: Server) -> AsyncIterator[str]:
    """A database of its own for each test, not migrated."""
    name = await server.create()
    yield server.url_of(name)
    await server.drop(name)


@pytest.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection that owns the tables, which no service has: for breaking rules in SQL."""
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    database = await Database.open(database_url, size=10)
    yield database
    await database.close()


@pytest.fixture(scope="session")
async def embedder() -> AsyncIterator[Embedder]:
    """The real encoder, opened once: it only reads."""
    opened = open_onnx(threads=2)
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
async def neo4j() -> AsyncIterator[GraphLocation]:
    """The session's Neo4j, started when the first test asks for it."""
    async with opened_neo4j() as location:
        yield location


@pytest.fixture
async def graph(neo4j: GraphLocation) -> AsyncIterator[Graph]:
    """Neo4j with nothing in it."""
    async with Graph(neo4j) as opened:
        await empty(opened)
        yield opened


def memory_on(
    database: Database,
    embedder: Embedder,
    tenant: TenantNumber,
    leg_deadline: float = 10.0,
    graph: GraphReader | None = None,
) -> Memory:
    """Return the services on a database, and a human who calls them; the graph is read there unless said."""
    graph = graph or PostgresTraversal(database)
    return Memory(
        database=database,
        graph=graph,
        embedder=embedder,
        caller=Caller(tenant, Role.HUMAN, "ada", is_local=True),
        leg_timeout=leg_deadline,
    )


@asynccontextmanager
async def new_memory(server: Server, embedder: Embedder, tenant: TenantNumber) -> AsyncIterator[Memory]:
    """Open the services on a database of their own, for a corpus that the tests of a module only read."""
    name = await server.create(TEMPLATE)
    database = await Database.open(server.url_of(name), size=10)
    try:
        yield memory_on(database, embedder, tenant)
    finally:
        await database.close()
        await server.drop(name)


@pytest.fixture
def memory(database: Database, embedder: Embedder, tenant: TenantNumber) -> Memory:
    """The services on an empty ledger of the test's own."""
    return memory_on(database, embedder, tenant)


@pytest.fixture(scope="module")
async def shared_memory(server: Server, embedder: Embedder, tenant: TenantNumber) -> AsyncIterator[Memory]:
    """The services on a ledger that the tests of a module share, each in a project of its own."""
    async with new_memory(server, embedder, tenant) as memory:
        yield memory


@pytest.fixture
def desk(shared_memory: Memory) -> ProjectFixture:
    """A project of the test's own."""
    return ProjectFixture(shared_memory, f"project-{next(_NUMBERS)}")


counted = pytest.fixture(lambda: counted_statements, name="counted")
