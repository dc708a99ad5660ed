"""A projector, a Neo4j and a Postgres that are killed again and again leave an exact copy behind.

`TRIGRAPH_STRUCK_WRITES` makes it a longer run.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from signal import SIGKILL

import pytest

from app.embedding import Embedder
from app.errors import Unavailable
from app.stores.file_locks import hold_lock
from app.stores.neo4j.embedded.layout import Layout
from app.stores.neo4j.embedded.server import EmbeddedNeo4j, Neo4jServer
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.embedded.server import EmbeddedPostgres
from app.stores.postgres.migrate import migrate
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant
from tests.cli.processes import Shell
from tests.conftest import memory_on
from tests.graphql.scattering import ScatteringEmbedder
from tests.neo4j_server import stop_server
from tests.random_verbs import Writer

WRITES = int(os.environ.get("TRIGRAPH_STRUCK_WRITES", "180"))
WRITES_A_STRIKE = 60
SERIES = 40
POOL = 4


class Struck:
    """A home with both servers, and a projector that works there; each can be killed."""

    def __init__(self, home: Path, postgres: EmbeddedPostgres, neo4j: EmbeddedNeo4j) -> None:
        self._home = home
        self._postgres = postgres
        self._neo4j = neo4j
        self.shell = Shell(home, {"TRIGRAPH_NEO4J_URI": "embedded"})
        self.projector = self.shell.start("projection", "run")

    @property
    def url(self) -> str:
        return self._postgres.url

    async def kill_projector(self) -> None:
        self.projector.kill()
        await asyncio.to_thread(self.projector.communicate)
        self.projector = self.shell.start("projection", "run")

    async def kill_neo4j(self) -> None:
        os.kill(await asyncio.to_thread(self._neo4j_process), SIGKILL)

    def _neo4j_process(self) -> int:
        """Return the process of the server, which the projector may have started again."""
        layout = Layout(self._home.resolve())
        with hold_lock(layout.starting):
            return Neo4jServer(layout).ensure_running().process

    async def kill_postgres(self) -> None:
        os.kill(int((self._home / "postgres/postmaster.pid").read_text().split()[0]), SIGKILL)

    async def recover(self) -> None:
        """Start Postgres again unless it runs; the projector does so too, but later."""
        await asyncio.to_thread(self._postgres.keep_running)


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that nothing else uses; its path is short, as a unix socket needs."""
    with tempfile.TemporaryDirectory(prefix="trigraph-struck-") as folder:
        yield Path(folder)


@pytest.fixture
async def struck(home: Path) -> AsyncIterator[Struck]:
    postgres = await asyncio.to_thread(EmbeddedPostgres.start, home)
    await migrate(postgres.url)
    neo4j = await asyncio.to_thread(EmbeddedNeo4j.start, home)
    struck = Struck(home, postgres, neo4j)
    try:
        yield struck
    finally:
        struck.projector.kill()
        struck.projector.communicate()
        neo4j.stop()
        await asyncio.to_thread(stop_server, home)
        await asyncio.to_thread(postgres.stop)


@asynccontextmanager
async def writer_on(struck: Struck, embedder: Embedder, random: Random) -> AsyncIterator[Writer]:
    async with owner_connection(struck.url) as owner:
        tenant = await ensure_tenant(owner, "local")
    database = await Database.open(struck.url, size=POOL)
    try:
        yield Writer(memory_on(database, ScatteringEmbedder(embedder), tenant), random, "struck", SERIES)
    finally:
        await database.close()


async def test_killed_anywhere_nothing_is_lost_and_nothing_doubled(
    struck: Struck, embedder: Embedder
) -> None:
    random = Random(11)
    kinds = [struck.kill_projector, struck.kill_neo4j, struck.kill_postgres]
    strikes = {
        start + random.randrange(WRITES_A_STRIKE): number
        for number, start in enumerate(range(0, WRITES, WRITES_A_STRIKE))
    }
    refused = 0
    async with writer_on(struck, embedder, random) as writer:
        for number in range(WRITES):
            strike = asyncio.create_task(kinds[strikes[number] % 3]()) if number in strikes else None
            try:
                await writer.write()
            except Unavailable:
                refused += 1
                await struck.recover()
            if strike is not None:
                await strike
    assert refused <= 2 * POOL * len(strikes)  # each connection of the pool finds out by itself
    first = await asyncio.to_thread(struck.shell.run, "projection", "verify", "--json")
    assert (first.code, first.err) == (0, "")
    assert struck.projector.poll() is None
    rebuilt = await asyncio.to_thread(struck.shell.run, "projection", "rebuild")
    assert rebuilt.code == 0, rebuilt.err
    again = await asyncio.to_thread(struck.shell.run, "projection", "verify", "--json")
    assert again.object["digest"] == first.object["digest"]
    assert first.object["isEqual"]
    states = next(kind for kind in first.object["kinds"] if kind["kind"] == "EntityState")
    assert states["inGraph"] > WRITES / 2
    status = await asyncio.to_thread(struck.shell.run, "projection", "status", "--json")
    assert (status.code, status.object["behind"], status.object["failure"]) == (0, 0, None)
