"""The graph is read only where it says what the ledger does."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import asyncpg
import pytest

from app.domain.numbers import TenantNumber
from app.stores.neo4j import freshness
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.freshness import FreshnessGate, StaleGraph
from app.stores.neo4j.projection import checkpoint_of
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant
from tests.conformance.conftest import copy
from tests.conftest import Server, memory_on
from tests.documents import adr, file
from tests.projector.conftest import Copy

__all__ = ["copy"]


@pytest.fixture
def ground(copy: Copy) -> FreshnessGate:
    return FreshnessGate(copy.graph, copy.memory.database)


async def count(ground: FreshnessGate, tenant: TenantNumber) -> int:
    """Return how many artifacts of a tenant are read."""
    async with ground.reading(tenant) as ask:
        (found,) = await ask(
            "MATCH (a:Artifact {tenant: $tenant}) RETURN [count(a)] AS found;", {"tenant": tenant}
        )
        return int(found)


async def test_a_graph_is_read_once_it_has_what_was_written(copy: Copy, ground: FreshnessGate) -> None:
    tenant = copy.memory.caller.tenant
    with pytest.raises(StaleGraph, match="not a copy"):
        await count(ground, tenant)
    await copy.catch_up()
    assert await count(ground, tenant) == 0
    await file(copy.memory, adr(1, "Queue"))
    with pytest.raises(StaleGraph, match="the graph is at"):
        await count(ground, tenant)
    await copy.catch_up()
    assert await count(ground, tenant) == 1


async def test_what_is_projected_at_once_is_waited_for(
    copy: Copy, ground: FreshnessGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant = copy.memory.caller.tenant
    monkeypatch.setattr(freshness, "WAIT_SECONDS", 30.0)
    await copy.catch_up()
    await file(copy.memory, adr(1, "Queue"))
    asked = asyncio.create_task(count(ground, tenant))
    await asyncio.sleep(0.05)
    await copy.catch_up()
    assert await asked == 1


async def test_a_wait_in_vain_is_not_repeated(
    copy: Copy, ground: FreshnessGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each recall beside a long import would wait."""
    tenant = copy.memory.caller.tenant
    await copy.catch_up()
    await file(copy.memory, adr(1, "Queue"))
    with pytest.raises(StaleGraph):
        await count(ground, tenant)
    monkeypatch.setattr(freshness, "WAIT_SECONDS", 3600.0)
    with pytest.raises(StaleGraph):
        await asyncio.wait_for(count(ground, tenant), 30)


async def test_another_tenants_writes_are_not_waited_for(copy: Copy, ground: FreshnessGate) -> None:
    theirs = await ensure_tenant(copy.owner, "theirs")
    await copy.catch_up()
    await file(memory_on(copy.memory.database, copy.memory.embedder, theirs), adr(1, "Theirs"))
    assert await count(ground, copy.memory.caller.tenant) == 0
    with pytest.raises(StaleGraph):
        await count(ground, theirs)


async def test_a_copy_of_another_ledger_is_not_read(
    copy: Copy, server: Server, tenant: TenantNumber, database_url: str
) -> None:
    """However far it is: its position says nothing of this ledger."""
    await file(copy.memory, adr(1, "Queue"))
    await copy.catch_up()
    name = await server.create()
    try:
        await server.run(f"DROP DATABASE {name}")
        await server.run(f"CREATE DATABASE {name} TEMPLATE template_ledger")
        other = await Database.open(server.url_of(name), size=2)
        try:
            with pytest.raises(StaleGraph, match="another ledger"):
                await count(FreshnessGate(copy.graph, other), tenant)
        finally:
            await other.close()
    finally:
        await server.drop(name)


async def test_what_was_read_while_the_graph_was_filled_anew_is_worth_nothing(
    copy: Copy, ground: FreshnessGate
) -> None:
    tenant = copy.memory.caller.tenant
    await file(copy.memory, adr(1, "Queue"))
    await copy.catch_up()
    async with ground.reading(tenant) as ask:
        assert await ask("RETURN [1] AS found", {}) == [1]
        await copy.rebuild()
        with pytest.raises(StaleGraph, match="rebuilt"):
            await ask("RETURN [1] AS found", {})
    assert await count(ground, tenant) == 1


async def test_what_is_filled_anew_amid_a_query_is_noticed_at_its_end(
    copy: Copy, ground: FreshnessGate
) -> None:
    tenant = copy.memory.caller.tenant
    await copy.catch_up()
    slow = "UNWIND range(1, 30000000) AS n WITH count(n % 7) AS slow RETURN [slow] AS found"
    async with ground.reading(tenant) as ask:
        asked = asyncio.create_task(ask(slow, {}))
        await asyncio.sleep(0.3)
        await copy.graph.write("MATCH (p:Projection) SET p.generation = 'another'")
        assert not asked.done()
        with pytest.raises(StaleGraph, match="rebuilt"):
            await asked


async def test_a_graph_that_is_being_cleared_is_not_read(copy: Copy, ground: FreshnessGate) -> None:
    await copy.catch_up()
    await copy.graph.write("MATCH (p:Projection) SET p.isCleared = false")
    with pytest.raises(StaleGraph, match="not a copy"):
        await count(ground, copy.memory.caller.tenant)


async def test_a_transaction_that_is_being_put_in_place_is_waited_for(
    copy: Copy, ground: FreshnessGate, graph: Graph
) -> None:
    """Who writes holds the node that tells the position until all of it is seen."""
    tenant = copy.memory.caller.tenant
    await file(copy.memory, adr(1, "Queue"))
    await copy.catch_up()
    async with graph.writing() as transaction:
        await (await transaction.run("MATCH (p:Projection) SET p.held = $by", by=str(uuid4()))).consume()
        asked = asyncio.create_task(count(ground, tenant))
        await asyncio.sleep(0.3)
        assert not asked.done()
    assert await asked == 1
    checkpoint = await checkpoint_of(graph)
    assert checkpoint is not None
    assert checkpoint.position == await copy.owner.fetchval("SELECT max(position) FROM outbox")


async def test_the_service_learns_no_change_of_another_tenant(
    copy: Copy, owner: asyncpg.Connection, tenant: TenantNumber
) -> None:
    theirs = await ensure_tenant(owner, "theirs")
    filed = await file(memory_on(copy.memory.database, copy.memory.embedder, theirs), adr(1, "Theirs"))
    async with copy.memory.database.reading(tenant) as connection:
        assert (
            await connection.fetchval("SELECT count(*) FROM outbox WHERE position = $1", filed.position) == 0
        )
        assert await connection.fetchval("SELECT stands_in_ledger($1, 'guess')", filed.position) is False
