"""Neo4j may be away, slow, behind or asked nonsense: the answers are the ledger's all the same."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest

from app.domain.recall import LegName, RecallResult
from app.errors import Unavailable
from app.projector.loop import Backoff, Projector
from app.services.container import Memory, open_graph_reader
from app.settings import Settings
from app.stores.event_loop import background_task
from app.stores.fallback_graph_reader import Breaker, FallbackGraphReader
from app.stores.neo4j import traversal
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import GraphLocation
from app.stores.neo4j.traversal import Neo4jTraversal
from app.stores.postgres.graph_reader import PostgresTraversal
from tests.documents import RELATES_TO, adr, ask, claims, file
from tests.projector.conftest import Copy
from tests.projector.settings import settings_of
from tests.projector.tcp_gate import TcpGate
from tests.services.recall.replaying import QUERIES, SERIES, random_document

RECALLS = 200
PATIENCE = 60.0


def read_from(memory: Memory, graph: FallbackGraphReader) -> Memory:
    """Return the services with this graph."""
    return replace(memory, graph=graph)


@dataclass(frozen=True)
class Way:
    """The services, which read Neo4j through a gate, and the same services without Neo4j."""

    copy: Copy
    gate: TcpGate
    through: Memory
    without: Memory

    async def same(self, query: str) -> RecallResult:
        """Ask both and answer what they tell, which has to be the same."""
        found = await ask(self.through, query)
        expected = await ask(self.without, query, as_of=found.as_of, known_at=found.known_at)
        assert [(hit.artifact.id, hit.score) for hit in found.hits] == [
            (hit.artifact.id, hit.score) for hit in expected.hits
        ]
        assert [leg.problem for leg in found.legs] == [None] * len(found.legs)
        assert found.advisories == expected.advisories
        return found


@asynccontextmanager
async def way(
    copy: Copy, neo4j: GraphLocation, deadline: float = 5.0, seconds: float = 0.1
) -> AsyncIterator[Way]:
    async with AsyncExitStack() as stack:
        gate = await stack.enter_async_context(TcpGate(neo4j))
        location = GraphLocation(gate.uri, neo4j.user, neo4j.password)
        graph = await stack.enter_async_context(Graph(location))
        database = copy.memory.database
        reader = FallbackGraphReader(PostgresTraversal(database), deadline, Breaker(seconds=seconds))
        reader.preferred = Neo4jTraversal(graph, database)
        await stack.enter_async_context(background_task(_trying(reader)))
        yield Way(copy, gate, read_from(copy.memory, reader), copy.memory)


async def _trying(reader: FallbackGraphReader) -> None:
    while True:
        await asyncio.sleep(0.02)
        with suppress(Unavailable):
            await reader.try_again()


def served(result: RecallResult) -> str:
    """Return the store that the graph leg of a recall was answered from."""
    return next(leg.served for leg in result.legs if leg.leg is LegName.GRAPH)


async def until_served(memory: Memory, store: str) -> None:
    """Ask until the graph leg is answered from a store."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if served(await ask(memory, "ADR-3")) == store:
                return
            await asyncio.sleep(0.05)


async def test_out_01_neo4j_stops_amid_recalls_and_comes_back(copy: Copy, neo4j: GraphLocation) -> None:
    """OUT-01: no error, the same hits, and caught up without help."""
    random = Random(4)
    for number in range(SERIES):
        await file(copy.memory, random_document(random, number))
    async with way(copy, neo4j) as asked:
        projector = Projector(
            settings_of(copy.settings.database_url or "", neo4j), backoff=Backoff(0.05, 0.2)
        )
        projecting = asyncio.create_task(projector.run())
        await until_served(asked.through, "neo4j")
        stores = []
        for number in range(RECALLS):
            if number == RECALLS // 3:
                asked.gate.close()
            if number == RECALLS // 2:
                await file(copy.memory, random_document(random, SERIES))
            if number == 2 * RECALLS // 3:
                asked.gate.open()
                await until_served(asked.through, "neo4j")
            stores.append(served(await asked.same(QUERIES[number % len(QUERIES)])))
        assert stores[0] == stores[-1] == "neo4j"
        assert set(stores[RECALLS // 3 : 2 * RECALLS // 3]) == {"postgres"}
        projecting.cancel()
        await asyncio.gather(projecting, return_exceptions=True)


async def file_pair(copy: Copy) -> None:
    await file(copy.memory, adr(1, "Queue"))
    await file(copy.memory, adr(3, "Clock", references=claims(RELATES_TO, "ADR-1")))
    await copy.catch_up()


async def test_out_01_a_connection_cut_amid_a_query(
    copy: Copy, neo4j: GraphLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OUT-01: what the other legs found is not lost, and the graph leg is answered by the ledger."""
    await file_pair(copy)
    slow = "UNWIND range(1, 100000000) AS n WITH count(n % 7) AS slow RETURN [slow] AS found;"
    monkeypatch.setitem(traversal.CYPHER, "references_of_anchors", slow)
    async with way(copy, neo4j) as asked:
        recall = asyncio.create_task(asked.same("ADR-3"))
        await asyncio.sleep(0.5)
        asked.gate.close()
        assert served(await recall) == "postgres"


async def test_out_01_a_server_that_says_nothing_is_left_in_time(copy: Copy, neo4j: GraphLocation) -> None:
    """OUT-01: a black hole takes no connection and refuses none; after a few tries it is let be."""
    await file_pair(copy)
    connections = []

    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        await reader.read()
        writer.close()

    hole = await asyncio.start_server(swallow, "127.0.0.1", 0)
    async with hole, way(copy, neo4j, deadline=0.2, seconds=3600.0) as asked:
        location = GraphLocation(f"bolt://127.0.0.1:{hole.sockets[0].getsockname()[1]}", "neo4j", "password")
        async with Graph(location) as graph:
            reader = asked.through.graph
            assert isinstance(reader, FallbackGraphReader)
            reader.preferred = Neo4jTraversal(graph, copy.memory.database)
            for _ in range(6):
                assert served(await asked.same("ADR-3")) == "postgres"
    assert 1 <= len(connections) <= 3


@pytest.mark.parametrize("query", ["MATCH nonsense", "MATCH (n) RETURN n.number AS anchor LIMIT 1"])
async def test_out_01_a_query_that_is_wrong_is_reported_and_not_hidden(
    copy: Copy,
    neo4j: GraphLocation,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    query: str,
) -> None:
    """OUT-01: the answer is still the ledger's, and every time the log has the error."""
    await file_pair(copy)
    monkeypatch.setitem(traversal.CYPHER, "references_of_anchors", query)
    async with way(copy, neo4j) as asked:
        for _ in range(5):
            assert served(await asked.same("ADR-3")) == "postgres"
    wrong = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(wrong) == 5
    assert all(record.exc_info for record in wrong)


async def test_an_outage_is_told_once_and_so_is_its_end(
    copy: Copy, neo4j: GraphLocation, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "app.stores.fallback_graph_reader")
    await file_pair(copy)
    async with way(copy, neo4j) as asked:
        asked.gate.close()
        for _ in range(8):
            assert served(await asked.same("ADR-3")) == "postgres"
        asked.gate.open()
        await until_served(asked.through, "neo4j")
    messages = [
        record.message for record in caplog.records if record.name == "app.stores.fallback_graph_reader"
    ]
    assert len(messages) == 2
    assert "does not respond" in messages[0]
    assert messages[1] == "reading the graph from Neo4j again"


async def test_what_was_just_written_is_in_the_answer_however_far_the_graph_is(
    copy: Copy, neo4j: GraphLocation
) -> None:
    """Nobody projects here: the graph lags, and the ledger answers."""
    await file_pair(copy)
    async with way(copy, neo4j) as asked:
        assert served(await asked.same("ADR-1")) == "neo4j"
        later = await file(copy.memory, adr(4, "Later", references=claims(RELATES_TO, "ADR-1")))
        found = await asked.same("ADR-1")
        assert served(found) == "postgres"
        (graph,) = [leg for leg in found.legs if leg.leg is LegName.GRAPH]
        assert later.artifact.number in [candidate.artifact for candidate in graph.candidates]
        await copy.catch_up()
        assert served(await asked.same("ADR-1")) == "neo4j"


async def test_an_empty_graph_and_a_copy_are_warmed_up_alike(copy: Copy) -> None:
    """All that is asked of Neo4j is understood with what it is asked then."""
    traversal = Neo4jTraversal(copy.graph, copy.memory.database)
    await traversal.warm_up()
    await file_pair(copy)
    await traversal.warm_up()


def _settings(copy: Copy, neo4j: GraphLocation, uri: str) -> Settings:
    return settings_of(copy.settings.database_url or "", neo4j, uri)


async def test_out_06_what_opens_without_neo4j_reads_it_later(copy: Copy, neo4j: GraphLocation) -> None:
    """OUT-06: everything is answered from the beginning, by the ledger until Neo4j is there."""
    await file_pair(copy)
    async with TcpGate(neo4j) as gate:
        gate.close()
        async with open_graph_reader(_settings(copy, neo4j, gate.uri), copy.memory.database) as graph:
            assert isinstance(graph, FallbackGraphReader)
            memory = read_from(copy.memory, graph)
            for _ in range(4):
                assert served(await ask(memory, "ADR-3")) == "postgres"
            gate.open()
            await until_served(memory, "neo4j")


async def test_without_neo4j_the_ledger_is_read_and_nothing_else(copy: Copy) -> None:
    settings = Settings(database_url=copy.settings.database_url)
    async with open_graph_reader(settings, copy.memory.database) as graph:
        assert isinstance(graph, PostgresTraversal)


async def test_an_embedded_neo4j_that_nobody_started_is_not_started_to_be_read(
    copy: Copy, tmp_path: Path
) -> None:
    settings = Settings(database_url=copy.settings.database_url, neo4j_uri="embedded", home=tmp_path)
    async with open_graph_reader(settings, copy.memory.database) as graph:
        assert isinstance(graph, FallbackGraphReader)
        assert served(await ask(read_from(copy.memory, graph), "the queue")) == "postgres"
    assert not await asyncio.to_thread(lambda: list(tmp_path.iterdir()))
