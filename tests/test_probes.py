from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from httpx2 import AsyncClient
from prometheus_client.parser import text_string_to_metric_families

from app.settings import Settings
from tests.conftest import Server
from tests.e2e.serving import client_of

RECALL = {"query": '{ recall(query: "queue") { hits { rank } } }'}


@pytest.fixture
async def client(database_url: str) -> AsyncIterator[AsyncClient]:
    """A client of the application on a ledger of the test's own, without Neo4j."""
    async with client_of(Settings(database_url=database_url, pool_size=4)) as client:
        yield client


async def measured(client: AsyncClient) -> dict[str, float]:
    """Answer every sample by its name, with its labels' values beside it where it has some."""
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
