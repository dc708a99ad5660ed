from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
from httpx2 import AsyncClient
from prometheus_client.parser import text_string_to_metric_families

from app.domain.numbers import TenantNumber
from app.settings import Settings
from app.stores.postgres import ledger_clock, write_probe
from app.stores.postgres.pool import Database
from app.stores.postgres.write_probe import WriteProbe, lack_of_room
from tests.conftest import Server
from tests.e2e.serving import client_of
from tests.ledger import contents

RECALL = {"query": '{ recall(query: "queue") { hits { rank } } }'}


@pytest.fixture
async def client(database_url: str) -> AsyncIterator[AsyncClient]:
    """A client of the application on a ledger of the test's own, without Neo4j."""
    async with client_of(Settings(database_url=database_url, pool_size=4)) as client:
        yield client


async def measured(client: AsyncClient) -> dict[str, float]:
    """Return every sample by its name, with its labels' values beside it where it has some."""
    answer = await client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_it_tells_what_it_measured(client: AsyncClient) -> None:
    before = await measured(client)
    assert before["trigraph_ready"] == 1
    assert before["process_resident_memory_bytes"] > 0
    assert not [name for name in before if "projection" in name or "graph_breaker" in name]
    assert not [name for name in before if name.endswith("_created")]
    for _ in range(3):
        assert "errors" not in (await client.post("/graphql", json=RECALL)).json()
    await client.get("/nowhere")
    await client.get("/elsewhere/42")
    after = await measured(client)

    def more(name: str) -> float:
        return after[name] - before.get(name, 0)

    assert more("trigraph_http_requests_total /graphql 200") == 3
    assert more("trigraph_http_request_seconds_count /graphql") == 3
    assert more("trigraph_http_requests_total other 404") == 2
    assert more("trigraph_http_requests_total /metrics 200") == 1
    for leg in ("DENSE", "LEXICAL", "GRAPH", "RECENCY"):
        assert more(f"trigraph_recall_leg_seconds_count {leg} postgres") == 3
    assert not [name for name in after if "nowhere" in name or "elsewhere" in name]


async def test_it_tells_on_without_its_database(
    client: AsyncClient, server: Server, database_url: str
) -> None:
    name = database_url.rpartition("/")[2].partition("?")[0]
    await server.run(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")
    await server.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    assert (await measured(client))["trigraph_ready"] == 0
    await server.run(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true")
    assert (await measured(client))["trigraph_ready"] == 1


async def ready(client: AsyncClient) -> tuple[int, list[str]]:
    answer = await client.get("/readyz")
    return answer.status_code, answer.json()["reasons"]


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every readiness check try a write."""
    monkeypatch.setattr(write_probe, "PROBE_INTERVAL", 0.0)
    monkeypatch.setattr(write_probe, "SECONDS_AFTER_A_REFUSAL", 0.0)


async def _end_sessions(owner: asyncpg.Connection) -> None:
    """End all other sessions, and wait until their clients notice."""
    await owner.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    await asyncio.sleep(0.2)


@pytest.mark.usefixtures("unhurried")
async def test_it_is_not_ready_while_the_database_is_read_only(
    server: Server, owner: asyncpg.Connection, database_url: str
) -> None:
    name = database_url.rpartition("/")[2].partition("?")[0]
    async with client_of(Settings(database_url=database_url, pool_size=4)) as client:
        assert await ready(client) == (200, [])
        await server.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        await _end_sessions(owner)
        assert await ready(client) == (
            503,
            ["writes fail: the database does not accept writes now; retry later"],
        )
        assert (await measured(client))["trigraph_ready"] == 0
        assert "errors" not in (await client.post("/graphql", json=RECALL)).json(), "it still answers"
        await server.run(f"ALTER DATABASE {name} RESET default_transaction_read_only")
        await _end_sessions(owner)
        assert await ready(client) == (200, [])


FULL = """
CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
END $$;
CREATE TRIGGER no_room BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION no_room();
"""
FILE = {
    "query": 'mutation { fileArtifact(input: {kind: "ADR", body: "# ADR-1"}) { created problems { code } } }'
}


@pytest.mark.usefixtures("unhurried")
async def test_a_full_disk_is_reported_from_the_first_write_that_fails_until_one_succeeds(
    client: AsyncClient, owner: asyncpg.Connection
) -> None:
    await owner.execute(FULL.format("artifact"))
    await owner.execute(FULL.format("idempotent_answer").partition("$$;")[2])
    assert await ready(client) == (200, []), "nobody has written yet, and what is in place is changed there"
    failed = (await client.post("/graphql", json=FILE)).json()
    assert failed["data"]["fileArtifact"]["problems"] == [{"code": "UNAVAILABLE"}]
    for _ in range(2):
        status, (reason,) = await ready(client)
        assert (status, "the disk of the database is full" in reason) == (503, True)
    await owner.execute("DROP FUNCTION no_room CASCADE")
    assert await ready(client) == (200, [])
    assert (await client.post("/graphql", json=FILE)).json()["data"]["fileArtifact"]["created"]


async def test_asking_whether_it_is_ready_writes_nothing_and_waits_for_no_writer(
    database: Database, owner: asyncpg.Connection, tenant: TenantNumber
) -> None:
    before = await contents(owner)
    assert await database.write_probe.refusal(tenant) is None
    assert await contents(owner) == before
    async with database.writing(tenant) as connection:
        await ledger_clock.advance_clock(connection, tenant)
        waiting = WriteProbe(database.writing)
        assert await waiting.refusal(tenant) is None


async def test_many_questions_try_one_write(database: Database, tenant: TenantNumber) -> None:
    tried = 0

    @asynccontextmanager
    async def counting(tenant: TenantNumber) -> AsyncIterator[asyncpg.Connection]:
        nonlocal tried
        tried += 1
        async with database.writing(tenant) as connection:
            yield connection

    probe = WriteProbe(counting)
    assert await asyncio.gather(*(probe.refusal(tenant) for _ in range(20))) == [None] * 20
    assert tried == 1


async def test_a_write_that_hangs_is_reported_in_time(
    database: Database, owner: asyncpg.Connection, tenant: TenantNumber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_probe, "PROBE_SECONDS", 0.3)
    async with owner.transaction():
        await owner.execute("LOCK TABLE ledger_clock IN EXCLUSIVE MODE")
        assert await database.write_probe.refusal(tenant) == "no write finished within 0.3 seconds"
    monkeypatch.setattr(write_probe, "PROBE_SECONDS", 10.0)
    assert await WriteProbe(database.writing).refusal(tenant) is None


async def test_writers_that_have_every_connection_are_no_reason(
    database_url: str, tenant: TenantNumber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_probe, "PROBE_SECONDS", 0.3)
    database = await Database.open(database_url, size=1)
    async with database.writing(tenant):
        assert await database.write_probe.refusal(tenant) is None
    await database.close()


def test_a_disk_with_less_room_than_the_log_needs_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lack_of_room(tmp_path) is None
    assert lack_of_room(tmp_path / "absent") is None
    usage = shutil.disk_usage(tmp_path)._replace(free=3 * 2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    assert "is full: 3.0 MiB are free" in (lack_of_room(tmp_path) or "")


async def test_an_embedded_database_on_a_full_disk_is_not_ready(
    server: Server, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with client_of(Settings(home=home, pool_size=2)) as client:
        assert await ready(client) == (200, [])
        monkeypatch.setattr(write_probe, "MIN_FREE_BYTES", 2**60)
        status, (reason,) = await ready(client)
    assert (status, "is full" in reason) == (503, True)
