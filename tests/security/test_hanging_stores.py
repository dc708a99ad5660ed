"""A database that hangs holds nobody for longer than its deadlines."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

import asyncpg
import pytest

from app.domain.numbers import TenantNumber
from app.domain.recall import RecallRequest
from app.embedding import Embedder
from app.errors import OutcomeUnknown, Unavailable
from app.services.container import Memory
from app.stores.fallback_graph_reader import FallbackGraphReader
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.embedded.jars import install_jars
from app.stores.neo4j.embedded.layout import USER
from app.stores.neo4j.embedded.server import EmbeddedNeo4j
from app.stores.neo4j.location import GraphLocation
from app.stores.neo4j.traversal import Neo4jTraversal
from app.stores.postgres.connection import WritingConnection, owner_connection
from app.stores.postgres.embedded.server import EmbeddedPostgres
from app.stores.postgres.graph_reader import PostgresTraversal
from app.stores.postgres.migrate import migrate
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant
from tests.conftest import memory_on
from tests.documents import RELATES_TO, adr, claims, file
from tests.graphql.api import FILE, Api
from tests.neo4j_server import stop_server
from tests.security.freezing import frozen

PATIENCE = 30.0
"""Seconds: the deadlines of one request, and as much again for a machine that does other things."""

ASKED = {
    "recall": '{ recall(query: "queue") { hits { artifact { id } } } }',
    "list": "{ artifacts { totalCount nodes { id entity { label } } } }",
    "create": 'mutation { createEntity(input: {type: "Component", props: {name: "B"}}) {problems {code}} }',
    "file": 'mutation { fileArtifact(input: {kind: "ADR", body: "Poll it."}) { problems { code } } }',
}


@dataclass(frozen=True)
class Hanging:
    """A server of its own, a ledger on it, and the API."""

    home: Path
    url: str
    tenant: TenantNumber
    database: Database
    api: Api

    def frozen(self) -> AbstractContextManager[None]:
        """Stop the server while the block lasts."""
        leader = int((self.home / "postgres/postmaster.pid").read_text().splitlines()[0])
        return frozen(leader)


@pytest.fixture(scope="module")
async def hanging(embedder: Embedder) -> AsyncIterator[Hanging]:
    with tempfile.TemporaryDirectory(prefix="trigraph-hang-") as folder:
        home = Path(folder)
        embedded = await asyncio.to_thread(EmbeddedPostgres.start, home)
        await migrate(embedded.url)
        async with owner_connection(embedded.url) as owner:
            tenant = await ensure_tenant(owner, "local")
        database = await Database.open(embedded.url, size=5)
        api = Api(memory_on(database, embedder, tenant))
        await api.ask(FILE, input={"kind": "ADR", "body": "Name the queue.", "identifier": "ADR-1"})
        yield Hanging(home, embedded.url, tenant, database, api)
        await database.close()
        await asyncio.to_thread(embedded.stop)


async def code_of(api: Api, asked: str) -> str | None:
    """Return the code of what a question is refused with."""
    result = await api.run(asked)
    if result.errors:
        return "UNAVAILABLE" if all(isinstance(e.original_error, Unavailable) for e in result.errors) else "?"
    (payload,) = (result.data or {}).values()
    problems: list[Any] = payload.get("problems", [])
    return problems[0]["code"] if problems else None


async def test_every_request_to_a_server_that_hangs_is_answered_in_time(hanging: Hanging) -> None:
    with hanging.frozen():
        async with asyncio.timeout(PATIENCE):
            codes = await asyncio.gather(*(code_of(hanging.api, asked) for asked in ASKED.values()))
    assert codes == ["UNAVAILABLE"] * len(ASKED)
    for asked in ASKED.values():
        assert await code_of(hanging.api, asked) is None


async def test_many_requests_do_not_wait_one_after_the_other(hanging: Hanging) -> None:
    with hanging.frozen():
        async with asyncio.timeout(PATIENCE):
            codes = await asyncio.gather(*(code_of(hanging.api, ASKED["recall"]) for _ in range(20)))
    assert set(codes) == {"UNAVAILABLE"}
    assert await code_of(hanging.api, ASKED["recall"]) is None


@pytest.mark.parametrize(
    ("statement", "told"), [("SELECT pg_sleep(600)", Unavailable), ("COMMIT", OutcomeUnknown)]
)
async def test_a_server_that_hangs_in_the_middle_holds_a_write_no_longer(
    hanging: Hanging, statement: str, told: type[Unavailable], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WritingConnection, "seconds", 3.0)

    async def write() -> None:
        async with hanging.database.writing(hanging.tenant) as connection:
            await connection.fetchval("SELECT 1")
            freezing.__enter__()
            if statement != "COMMIT":
                await connection.execute(statement)

    freezing = hanging.frozen()
    try:
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(told):
                await write()
    finally:
        freezing.__exit__(None, None, None)
    assert await code_of(hanging.api, ASKED["recall"]) is None


async def test_a_caller_who_gives_up_is_let_go(hanging: Hanging) -> None:
    async def ask() -> None:
        async with hanging.database.reading(hanging.tenant) as connection:
            await connection.fetchval("SELECT 1")

    await ask()
    with hanging.frozen():
        started = monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(ask(), 1)
        assert monotonic() - started < PATIENCE / 3


async def test_a_pool_of_a_server_that_hangs_is_closed_in_time(hanging: Hanging) -> None:
    database = await Database.open(hanging.url, size=5)
    async with database.reading(hanging.tenant) as connection:
        await connection.fetchval("SELECT 1")
    with hanging.frozen():
        async with asyncio.timeout(PATIENCE / 2):
            await database.close()


async def test_nobody_connects_to_a_server_that_hangs_for_ever(hanging: Hanging) -> None:
    with hanging.frozen():
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(Unavailable):
                await Database.open(hanging.url, size=5)


async def test_what_an_owner_asks_of_a_server_that_hangs_ends_too(hanging: Hanging) -> None:
    async def ask() -> None:
        async with owner_connection(hanging.url, seconds=2.0) as owner:
            freezing.__enter__()
            await owner.fetchval("SELECT 1")

    freezing = hanging.frozen()
    try:
        async with asyncio.timeout(PATIENCE):
            with pytest.raises((Unavailable, asyncpg.InterfaceError, TimeoutError)):
                await ask()
    finally:
        freezing.__exit__(None, None, None)


async def test_a_neo4j_that_hangs_is_read_elsewhere_and_then_let_be(memory: Memory) -> None:
    await file(memory, adr(1, "Poll the queue"))
    await file(memory, adr(2, "Listen to the queue", references=claims(RELATES_TO, "ADR-1")))
    with tempfile.TemporaryDirectory(prefix="trigraph-hang-") as folder:
        await asyncio.to_thread(install_jars, lambda done, total: None)
        embedded = await asyncio.to_thread(EmbeddedNeo4j.start, Path(folder))
        try:
            async with Graph(GraphLocation(embedded.uri, USER, embedded.password, embedded)) as graph:
                reader = FallbackGraphReader(PostgresTraversal(memory.database), deadline=1.0)
                reader.preferred = Neo4jTraversal(graph, memory.database)
                recall = replace(memory, graph=reader).recall
                with frozen(embedded.process):
                    async with asyncio.timeout(PATIENCE):
                        for _ in range(4):
                            found = await recall.recall(memory.caller, RecallRequest("ADR-1"))
                            assert all(leg.problem is None for leg in found.legs)
                            assert len(found.hits) == 2
                        assert reader.is_breaker_open
                        await graph.close()
        finally:
            embedded.stop()
            await asyncio.to_thread(stop_server, Path(folder))
