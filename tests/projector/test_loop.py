"""The projector follows the ledger through outages, and stops where waiting mends nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import ClassVar

import pytest
from neo4j import AsyncTransaction
from neo4j.exceptions import SessionExpired, TransientError

from app.errors import Unavailable
from app.projector.loop import Backoff, Projector, project_in_background, read_standing
from app.settings import Settings
from app.stores.neo4j import projection
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import GraphLocation
from app.stores.neo4j.shared_connection import GraphLink
from app.stores.postgres.outbox import ledger_of
from tests.documents import adr, file
from tests.projector.conftest import Copy
from tests.projector.settings import settings_of
from tests.projector.tcp_gate import TcpGate

PATIENCE = 60.0
SOON = Backoff(0.05, 0.2)


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if holds():
                return
            await asyncio.sleep(0.02)


async def come_to(projector: Projector, position: int | None) -> None:
    """Wait until the projector has come to a position."""
    assert position is not None
    await until(lambda: projector.position is not None and projector.position >= position)


async def failed(projector: Projector) -> None:
    """Wait until the projector tells of a failure."""
    await until(lambda: projector.failure is not None)


@asynccontextmanager
async def running(settings: Settings, backoff: Backoff = SOON) -> AsyncIterator[Projector]:
    projector = Projector(settings, backoff=backoff)
    task = asyncio.create_task(projector.run())
    try:
        yield projector
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Faltering(Graph):
    """Neo4j whose next commits fail: before they are done, or after, when only the answer is lost."""

    failures: ClassVar[list[str]] = []

    @asynccontextmanager
    async def writing(self, seconds: float | None = None) -> AsyncIterator[AsyncTransaction]:
        failure = self.failures.pop(0) if self.failures else None
        async with super().writing(seconds) as transaction:
            yield transaction
            if failure == "before":
                raise TransientError("a deadlock")
        if failure == "after":
            raise Unavailable("the answer is lost") from SessionExpired("cut off")


async def test_a_change_is_projected_as_soon_as_it_is_told(
    copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.projector.loop.POLL_INTERVAL", 3600.0)
    async with running(copy.settings) as projector:
        for number in range(3):
            filed = await file(copy.memory, adr(number, f"Queue {number}"))
            await come_to(projector, filed.position)
    assert (await copy.verify()).is_equal


async def test_a_change_that_nobody_told_of_is_found_by_looking(
    copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.projector.loop.POLL_INTERVAL", 0.1)
    monkeypatch.setattr("app.projector.loop.CHANNEL", "another_channel")
    async with running(copy.settings) as projector:
        filed = await file(copy.memory, adr(1, "Queue"))
        await come_to(projector, filed.position)


@pytest.mark.parametrize("failure", ["before", "after"])
async def test_con_10_a_commit_that_fails_once_doubles_nothing(
    copy: Copy, failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CON-10: also when it was done and only its answer was lost. Nothing is made up while it is repeated."""
    monkeypatch.setattr("app.stores.neo4j.shared_connection.Graph", Faltering)
    await copy.catch_up()
    filed = await file(copy.memory, adr(1, "Queue"))
    monkeypatch.setattr(Faltering, "failures", [failure])
    async with running(copy.settings) as projector:
        await come_to(projector, filed.position)
    assert Faltering.failures == []
    assert await copy.count("(:EntityState)") == await copy.count("(:Entity)-[:HAS_STATE]->()") == 1
    assert (await copy.verify()).is_equal


async def test_out_02_what_neo4j_missed_comes_when_it_answers_again(
    copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OUT-02: a new version of a document was committed in Postgres while the write to Neo4j failed."""
    monkeypatch.setattr("app.stores.neo4j.shared_connection.Graph", Faltering)
    await file(copy.memory, adr(1, "Queue"))
    await copy.catch_up()
    filed = await file(copy.memory, adr(1, "Queue, changed"))
    monkeypatch.setattr(Faltering, "failures", ["before"])
    states = "SELECT count(*) FROM entity_state"
    assert await copy.count("(:EntityState)") < await copy.owner.fetchval(states)
    async with running(copy.settings) as projector:
        await come_to(projector, filed.position)
    assert await copy.count("(:EntityState)") == await copy.owner.fetchval(states)


async def test_out_03_what_is_not_projected_is_not_told_as_projected(
    copy: Copy, neo4j: GraphLocation
) -> None:
    """OUT-03: a mutation tells its position, and the graph is behind it until the graph holds the change."""
    await copy.catch_up()
    async with TcpGate(neo4j) as gate:
        gate.close()
        filed = await file(copy.memory, adr(1, "Queue"))
        assert filed.position is not None
        async with running(settings_of(str(copy.settings.database_url), neo4j, gate.uri)) as projector:
            await failed(projector)
            assert projector.position is None
            standing = await read_standing(copy.owner, copy.graph)
            assert standing.position is not None
            assert standing.position < filed.position == standing.ledger_position
            assert standing.behind > 0
            gate.open()
            await come_to(projector, filed.position)
            assert projector.failure is None
    standing = await read_standing(copy.owner, copy.graph)
    assert (standing.position, standing.behind, standing.failure) == (filed.position, 0, None)


async def test_an_outage_is_waited_for_each_time(copy: Copy, neo4j: GraphLocation) -> None:
    async with AsyncExitStack() as stack:
        gate = await stack.enter_async_context(TcpGate(neo4j))
        settings = settings_of(str(copy.settings.database_url), neo4j, gate.uri)
        projector = await stack.enter_async_context(running(settings))
        for number in range(2):
            gate.close()
            filed = await file(copy.memory, adr(number, f"Queue {number}"))
            await failed(projector)
            assert "does not respond" in str(projector.failure)
            gate.open()
            await come_to(projector, filed.position)
    assert (await copy.verify()).is_equal


async def test_what_no_waiting_mends_stops_it_and_is_told(copy: Copy) -> None:
    await file(copy.memory, adr(1, "Queue"))
    await copy.catch_up()
    await copy.graph.write("MATCH (entity:Entity) DETACH DELETE entity")
    await file(copy.memory, adr(1, "Queue, changed"))
    projector = Projector(copy.settings)
    async with asyncio.timeout(PATIENCE):
        await projector.run()
    assert projector.is_stopped
    assert "run `trigraph projection rebuild`" in str(projector.failure)
    standing = await read_standing(copy.owner, copy.graph)
    assert (standing.failure, standing.behind > 0) == (projector.failure, True)
    await copy.rebuild()
    assert (await read_standing(copy.owner, copy.graph)).failure is None


async def test_a_failure_that_is_over_is_told_no_more_although_nothing_changed(copy: Copy) -> None:
    filed = await file(copy.memory, adr(1, "Queue"))
    await copy.catch_up()
    await projection.note_failure(copy.graph, await ledger_of(copy.owner), "a query that was wrong")
    assert (await read_standing(copy.owner, copy.graph)).failure == "a query that was wrong"
    async with running(copy.settings) as projector:
        await come_to(projector, filed.position)
    assert (await read_standing(copy.owner, copy.graph)).failure is None


async def test_a_copy_of_another_ledger_is_not_told_why_this_one_is_not_projected(copy: Copy) -> None:
    await projection.begin(copy.graph, "another")
    projector = Projector(copy.settings)
    async with asyncio.timeout(PATIENCE):
        await projector.run()
    assert "copy of another ledger" in str(projector.failure)
    assert await projection.failure_of(copy.graph) is None


async def test_what_neo4j_refuses_stops_it(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(projection._NODES, "Artifact", "RETRUN 1")
    await file(copy.memory, adr(1, "Queue"))
    projector = Projector(copy.settings)
    async with asyncio.timeout(PATIENCE):
        await projector.run()
    assert "RETRUN" in str(projector.failure)
    assert projector.is_stopped


async def test_a_wrong_password_is_waited_for(copy: Copy, neo4j: GraphLocation) -> None:
    wrong = GraphLocation(neo4j.uri, "nobody", "wrong")
    async with running(settings_of(str(copy.settings.database_url), wrong)) as projector:
        await failed(projector)
        assert not projector.is_stopped
        assert "TRIGRAPH_NEO4J_PASSWORD" in str(projector.failure)


async def test_several_projectors_are_as_good_as_one(copy: Copy) -> None:
    async with AsyncExitStack() as stack:
        projectors = [await stack.enter_async_context(running(copy.settings)) for _ in range(3)]
        for number in range(20):
            filed = await file(copy.memory, adr(number % 5, f"Queue {number}"))
        for projector in projectors:
            await come_to(projector, filed.position)
    assert (await copy.verify()).is_equal


async def test_without_a_graph_nothing_is_projected(copy: Copy) -> None:
    settings = Settings(database_url=copy.settings.database_url)
    async with GraphLink(settings) as link, project_in_background(settings, link) as projector:
        assert projector is None
