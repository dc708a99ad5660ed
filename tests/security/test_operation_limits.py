"""Clients that leave, operations that take too long, and more of them than can be served in time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest
from httpx2 import AsyncClient

from app.errors import Busy
from app.services.served_operation import Admission
from app.settings import Settings
from app.stores.postgres import pool
from app.stores.postgres.connection import LedgerConnection, WritingConnection
from tests.e2e.serving import client_of
from tests.graphql.api import FILE

CLIENTS = 20
HANGS = 60.0  # seconds, far more than a busy machine takes and far less than a statement may
RECALL = '{ recall(query: "queue") { hits { rank } legs { problem } } }'
LIST = "{ artifacts { nodes { title entity { states { totalCount } } } } }"
WRITE = 'mutation { createEntity(input: {type: "Component", props: {name: "B"}}) { problems { code } } }'
PROJECTS = "{ projects { key } }"
ACTIVE = """
SELECT count(*) FROM pg_stat_activity
WHERE application_name = 'trigraph' AND state <> 'idle' AND datname = current_database()
"""


@pytest.fixture(autouse=True)
def patient_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the limits of statements be longer than any test, so that they end none."""
    for limits in (pool._READS, pool._WRITES):
        for name in limits:
            monkeypatch.setitem(limits, name, "600s")
    for connections in (LedgerConnection, WritingConnection):
        monkeypatch.setattr(connections, "seconds", 600.0)


@dataclass(frozen=True)
class Scene:
    """A service of one document, and its ledger's owner."""

    client: AsyncClient
    owner: asyncpg.Connection

    async def ask(self, query: str) -> Any:
        return await self.client.post("/graphql", json={"query": query})

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[None]:
        """Let no statement read documents or write entities while the block lasts."""
        async with self.owner.transaction():
            await self.owner.execute("LOCK TABLE artifact, entity IN ACCESS EXCLUSIVE MODE")
            yield

    async def active(self) -> int:
        """Return how many of the service's statements are under way."""
        await self.owner.execute("SELECT pg_stat_clear_snapshot()")  # a transaction has one otherwise
        found: int = await self.owner.fetchval(ACTIVE)
        return found

    async def until_active(self, at_least: int = 0, at_most: int = CLIENTS) -> None:
        while not at_least <= await self.active() <= at_most:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


@asynccontextmanager
async def scene_of(url: str, owner: asyncpg.Connection, **settings: Any) -> AsyncIterator[Scene]:
    async with client_of(Settings(database_url=url, pool_size=4, **settings)) as client:
        scene = Scene(client, owner)
        said = {"kind": "ADR", "body": "Poll the queue.", "identifier": "ADR-1"}
        filed = await client.post("/graphql", json={"query": FILE, "variables": {"input": said}})
        assert filed.json()["data"]["fileArtifact"]["created"]
        yield scene


async def leave(url: str, query: str) -> asyncio.StreamWriter:
    """Send an operation over a connection of its own, and return what closes it."""
    parts = urlsplit(url)
    _, writer = await asyncio.open_connection(parts.hostname, parts.port)
    body = json.dumps({"query": query}).encode()
    head = "POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()
    return writer


@pytest.mark.parametrize("query", [RECALL, LIST, WRITE], ids=["recall", "list", "write"])
async def test_clients_that_leave_take_their_statements_with_them(
    database_url: str, owner: asyncpg.Connection, query: str
) -> None:
    async with scene_of(database_url, owner, recall_timeout=600, read_timeout=600) as scene:
        async with scene.locked(), asyncio.timeout(HANGS):
            leaving = [await leave(str(scene.client.base_url), query) for _ in range(CLIENTS)]
            await scene.until_active(at_least=1)
            for each in leaving:
                each.close()
            assert (await scene.ask(PROJECTS)).json()["data"]
            await scene.until_active(at_most=0)
        assert (await scene.ask(query)).json()["data"]
        assert await owner.fetchval("SELECT count(*) FROM entity") == 1 + (query == WRITE)


@pytest.mark.parametrize("query", [RECALL, LIST], ids=["recall", "list"])
async def test_an_operation_that_takes_too_long_is_stopped_in_the_database_too(
    database_url: str, owner: asyncpg.Connection, query: str
) -> None:
    async with scene_of(database_url, owner, recall_timeout=0.4, read_timeout=0.4) as scene:
        async with scene.locked(), asyncio.timeout(HANGS):
            answers = await asyncio.gather(*(scene.ask(query) for _ in range(CLIENTS)))
            await scene.until_active(at_most=0)
        for answer in answers:
            assert answer.status_code == 503
            assert int(answer.headers["retry-after"]) >= 1
            [error] = answer.json()["errors"]
            assert error["extensions"]["code"] == "UNAVAILABLE"
            assert "retry" in error["message"]
        assert any("took more than 0.4 seconds and was stopped" in answer.text for answer in answers)
        assert (await scene.ask(query)).json()["data"]


async def test_of_many_recalls_each_has_all_legs_or_is_told_when_to_come_back(
    database_url: str, owner: asyncpg.Connection
) -> None:
    async with (
        scene_of(database_url, owner) as scene,
        AsyncClient(base_url=scene.client.base_url, timeout=60) as many,
    ):
        answers = await asyncio.gather(*(many.post("/graphql", json={"query": RECALL}) for _ in range(200)))
    served = [answer for answer in answers if answer.status_code == 200]
    assert served
    for answer in served:
        assert [leg["problem"] for leg in answer.json()["data"]["recall"]["legs"]] == [None] * 4
    for answer in answers:
        if answer.status_code != 200:
            assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (
                503,
                "UNAVAILABLE",
            )
            assert int(answer.headers["retry-after"]) >= 1


async def test_whoever_waits_is_let_in_in_order_and_in_whole() -> None:
    admission, order = Admission(2, patience=60), list[str]()
    ends = {name: asyncio.Event() for name in "abcd"}

    async def work(name: str, places: int) -> None:
        async with admission.places(places):
            order.append(name)
            await ends[name].wait()

    tasks = []
    for name, places in (("a", 1), ("b", 9), ("c", 1), ("d", 1)):
        tasks.append(asyncio.create_task(work(name, places)))
        await asyncio.sleep(0)
    assert order == ["a"]
    ends["a"].set()
    await asyncio.wait([tasks[0]])
    await asyncio.sleep(0)
    assert order == ["a", "b"]
    tasks[2].cancel()
    ends["b"].set()
    ends["d"].set()
    await asyncio.wait(tasks)
    assert order == ["a", "b", "d"]
    async with admission.places(2):
        pass


async def test_whoever_waits_too_long_is_refused_and_holds_no_place() -> None:
    admission = Admission(1, patience=0.01)
    async with admission.places(1):
        with pytest.raises(Busy, match="retry in 1 s"):
            async with admission.places(1):
                raise AssertionError("there was no place")
    async with admission.places(1):
        pass
