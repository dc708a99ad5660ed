"""Many writers: reads do not wait behind them, and each is served in turn or told when to come back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import pytest

from app.domain.numbers import TenantNumber
from app.embedding import Embedder
from app.errors import Busy, Unavailable
from app.stores.postgres import deadlines, pool, transactions
from app.stores.postgres.pool import Database, writers_of
from app.stores.postgres.transactions import Turns
from tests.conftest import memory_on
from tests.graphql.api import Api

SIZE = 5
CLIENTS = 60
CREATE = """
mutation ($name: String!) {
  createEntity(input: { type: "Component", props: { name: $name } }) {
    position
    problems { code message ... on UnavailableProblem { retryAfter } }
  }
}
"""
FILE = """
mutation ($name: String!) {
  fileArtifact(input: { kind: "ADR", identifier: $name, body: $name }) {
    created
    artifact { id }
    entity { label }
    problems { code message ... on UnavailableProblem { retryAfter } }
  }
}
"""
HOLD_CLOCK = "SELECT 1 FROM ledger_clock FOR UPDATE"
RECALL = '{ recall(query: "queue") { hits { artifact { id } } legs { problem } } }'


@pytest.fixture
async def crowded(database_url: str, embedder: Embedder, tenant: TenantNumber) -> AsyncIterator[Api]:
    database = await Database.open(database_url, size=SIZE, patience=2.0)
    yield Api(memory_on(database, embedder, tenant))
    await database.close()


@pytest.fixture
async def stuck(database_url: str, tenant: TenantNumber) -> AsyncIterator[None]:
    """A writer of another process that holds the tenant's clock and does no more."""
    other = await asyncpg.connect(database_url)
    transaction = other.transaction()
    await transaction.start()
    await other.execute("SELECT 1 FROM ledger_clock WHERE tenant_id = $1 FOR UPDATE", tenant)
    yield
    await transaction.rollback()
    await other.close()


@pytest.mark.parametrize(("size", "writers"), [(2, 1), (5, 1), (10, 2), (90, 18)])
def test_a_fifth_of_the_connections_is_for_writes(size: int, writers: int) -> None:
    assert writers_of(size) == writers


async def test_the_smallest_pool_answers_everything(
    database_url: str, embedder: Embedder, tenant: TenantNumber
) -> None:
    database = await Database.open(database_url, size=2, patience=5.0)
    api = Api(memory_on(database, embedder, tenant))
    await api.ask(FILE, name="ADR-1")
    found = await asyncio.gather(*(api.ask(RECALL) for _ in range(5)))
    for each in found:
        assert [leg["problem"] for leg in each["recall"]["legs"]] == [None] * 4
    await database.close()


@pytest.mark.usefixtures("stuck")
async def test_a_stuck_writer_stops_no_read_and_holds_no_writer_for_long(
    crowded: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    creating = [asyncio.create_task(crowded.ask(CREATE, name=f"Beacon {n}")) for n in range(3 * SIZE)]
    await asyncio.sleep(1)
    for _ in range(4):
        recalled = await crowded.ask(RECALL)
        assert all(leg["problem"] is None for leg in recalled["recall"]["legs"])
    assert not any(each.done() for each in creating)
    async with asyncio.timeout(2 * (deadlines.TURN + deadlines.LOCK)):
        answers = await asyncio.gather(*creating)
    for answer in answers:
        (problem,) = answer["createEntity"]["problems"]
        assert problem["code"] == "UNAVAILABLE"
        assert 1 <= problem["retryAfter"] <= transactions.MAX_RETRY_AFTER


async def test_every_client_has_what_it_was_told_and_no_more(crowded: Api, owner: asyncpg.Connection) -> None:
    answers = await asyncio.gather(*(crowded.run(FILE, name=f"ADR-{n}") for n in range(CLIENTS)))
    told: dict[str, Any] = {}
    for number, answer in enumerate(answers):
        assert answer.data is not None
        payload = answer.data["fileArtifact"]
        for problem in payload["problems"]:
            assert problem["retryAfter"] is not None
        if payload["created"]:
            told[f"ADR-{number}"] = payload
    kept = await owner.fetch("SELECT identifier FROM artifact")
    assert {row["identifier"] for row in kept} == told.keys()
    assert told


TENANT, OTHER_TENANT = map(TenantNumber, (1, 2))


async def test_writers_are_served_in_the_order_in_which_they_came() -> None:
    queue, served = Turns(patience=5.0), list[int]()

    async def write(number: int) -> None:
        async with queue.turn(TENANT):
            served.append(number)
            await asyncio.sleep(0.001)

    await asyncio.gather(*map(write, range(50)))
    assert served == list(range(50))


async def test_a_tenant_waits_behind_no_other() -> None:
    queue = Turns(patience=0.05)
    async with AsyncExitStack() as held:
        for _ in range(transactions.AT_ONCE):
            await held.enter_async_context(queue.turn(TENANT))
        async with queue.turn(OTHER_TENANT):
            pass
        with pytest.raises(Busy) as told:
            await held.enter_async_context(queue.turn(TENANT))
    assert told.value.retry_after is not None
    async with queue.turn(TENANT):
        pass


async def test_a_writer_who_gives_up_takes_no_ones_turn() -> None:
    queue = Turns(patience=5.0)
    async with AsyncExitStack() as held:
        for _ in range(transactions.AT_ONCE):
            await held.enter_async_context(queue.turn(TENANT))
        waiting = [asyncio.create_task(held.enter_async_context(queue.turn(TENANT))) for _ in range(5)]
        await asyncio.sleep(0)
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    async with queue.turn(TENANT), queue.turn(TENANT):
        pass


async def test_writers_that_wait_hold_no_connection(database_url: str, tenant: TenantNumber) -> None:
    database = await Database.open(database_url, size=SIZE, patience=2.0)
    async with database.writing(tenant) as connection:
        await connection.execute(HOLD_CLOCK)
        waiting = [asyncio.create_task(_hold_clock(database, tenant)) for _ in range(20)]
        await asyncio.sleep(0.2)
        async with AsyncExitStack() as read:
            for _ in range(SIZE - writers_of(SIZE)):
                await read.enter_async_context(database.reading(tenant))
    await asyncio.gather(*waiting)
    await database.close()


async def _hold_clock(database: Database, tenant: TenantNumber) -> None:
    async with database.writing(tenant) as connection:
        await connection.execute(HOLD_CLOCK)


async def test_every_connection_has_deadlines_at_the_server(database_url: str, tenant: TenantNumber) -> None:
    database = await Database.open(database_url, size=2)
    names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
    async with database.reading(tenant) as reader, database.writing(tenant) as writer:
        told = [[await each.fetchval(f"SHOW {name}") for name in names] for each in (reader, writer)]
    assert told == [["8s", "3s", "30s"], ["30s", "10s", "30s"]]
    await database.close()


async def test_a_writer_that_idles_in_its_transaction_is_ended(
    database_url: str, tenant: TenantNumber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(pool._SESSION, "idle_in_transaction_session_timeout", "200ms")
    database = await Database.open(database_url, size=2)

    async def idle() -> None:
        async with database.writing(tenant) as connection:
            await connection.execute(HOLD_CLOCK)
            await asyncio.sleep(2)
            await connection.execute("SELECT 1")

    idling = asyncio.create_task(idle())
    await asyncio.sleep(1)
    await _hold_clock(database, tenant)
    with pytest.raises(Unavailable):
        await idling
    await database.close()
