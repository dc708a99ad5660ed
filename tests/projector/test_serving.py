"""`trigraph serve` projects beside its work, and works as well where it cannot."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from httpx2 import AsyncClient

from app.main import create_app
from app.projector.loop import STARTING
from app.stores.neo4j.location import GraphLocation
from app.stores.postgres.outbox import projecting_alone
from tests.e2e.serving import served
from tests.projector.conftest import Copy
from tests.projector.settings import settings_of
from tests.projector.tcp_gate import TcpGate
from tests.test_health import measured

FILE = """
mutation {
  fileArtifact(input: {kind: "ADR", body: "# ADR-1: Queue\\n\\nWorkers poll the queue."}) { position }
}
"""
RECALL = '{ recall(query: "queue") { hits { artifact { identifier } } } }'
PATIENCE = 60.0


async def readiness(client: AsyncClient, status: str) -> dict[str, Any]:
    """Wait until the service tells of a status and nothing is left to project, or of a failure.

    One that is starting is degraded as well, and knows neither its position nor what it lacks.
    """
    async with asyncio.timeout(PATIENCE):
        while True:
            answer = await client.get("/readyz")
            assert answer.status_code == 200
            health: dict[str, Any] = answer.json()
            if health["projection"]["failure"] == STARTING:
                assert health["status"] == "degraded"
                assert (health["projection"]["position"], health["projection"]["behind"]) == (None, None)
            elif health["status"] == status and (status == "degraded" or health["projection"]["behind"] == 0):
                return health
            await asyncio.sleep(0.05)


async def test_out_06_it_starts_without_the_graph_and_finds_it_later(
    copy: Copy, neo4j: GraphLocation
) -> None:
    """OUT-06: what needs no graph answers, readiness tells, and it recovers by itself."""
    async with TcpGate(neo4j) as gate:
        gate.close()
        settings = settings_of(str(copy.settings.database_url), neo4j, gate.uri)
        with served(create_app(settings), starts=True) as address:
            async with AsyncClient(base_url=address, timeout=30) as client:
                degraded = await readiness(client, "degraded")
                assert (degraded["reasons"], degraded["projection"]["isStopped"]) == ([], False)
                assert f"Neo4j at {gate.uri} does not respond" in degraded["projection"]["failure"]
                filed = (await client.post("/graphql", json={"query": FILE})).json()
                position = int(filed["data"]["fileArtifact"]["position"])
                found = (await client.post("/graphql", json={"query": RECALL})).json()
                assert found["data"]["recall"]["hits"] == [{"artifact": {"identifier": "ADR-1"}}]
                assert (await readiness(client, "degraded"))["projection"]["behind"] is None
                away = await measured(client)
                assert (away["trigraph_projection_up"], away["trigraph_projection_stopped"]) == (0, 0)
                assert away["trigraph_projection_failures_total"] > 0
                assert not {"trigraph_projection_behind", "trigraph_projection_position"} & set(away)
                assert away["trigraph_graph_fallbacks_total"] > 0
                gate.open()
                ready = await readiness(client, "ready")
                assert ready["projection"] == {
                    "position": position,
                    "behind": 0,
                    "failure": None,
                    "isStopped": False,
                }
                back = await measured(client)
                assert (back["trigraph_projection_up"], back["trigraph_projection_behind"]) == (1, 0)
                assert back["trigraph_projection_position"] == position
                assert 0 <= back["trigraph_projection_age_seconds"] < PATIENCE
                assert {back["trigraph_graph_connected"], back["trigraph_graph_breaker_open"]} <= {0, 1}
                gate.close()
                gone = await readiness(client, "degraded")
                assert (gone["projection"]["position"], gone["projection"]["behind"]) == (position, 0)
                assert (await measured(client))["trigraph_projection_position"] == position
    assert (await copy.verify()).is_equal


async def test_until_it_was_projected_once_it_is_starting_and_nothing_is_known_of_it(copy: Copy) -> None:
    """Another projector has the turn, so that the start lasts."""
    await copy.catch_up()
    async with AsyncExitStack() as turn:
        await turn.enter_async_context(projecting_alone(copy.owner))
        with served(create_app(copy.settings), starts=True) as address:
            async with AsyncClient(base_url=address, timeout=30) as client:
                starting = (await client.get("/readyz")).json()
                measures = await measured(client)
                await turn.aclose()
                assert (starting["status"], starting["reasons"]) == ("degraded", [])
                assert starting["projection"] == {
                    "position": None,
                    "behind": None,
                    "failure": STARTING,
                    "isStopped": False,
                }
                assert (
                    measures["trigraph_projection_up"],
                    measures["trigraph_projection_failures_total"],
                ) == (0, 0)
                assert {name for name in measures if "projection" in name} == {
                    "trigraph_projection_up",
                    "trigraph_projection_stopped",
                    "trigraph_projection_failures_total",
                }
                assert (await readiness(client, "ready"))["projection"]["failure"] is None
