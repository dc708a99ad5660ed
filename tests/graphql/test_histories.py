from __future__ import annotations

from itertools import pairwise

import asyncpg

from tests.documents import SUPERSEDES, adr, claims, day, file
from tests.graphql.api import Api, ids_by_label


async def test_a_state_is_read_at_its_two_times(api: Api) -> None:
    filed = await file(api.memory, adr(1, "First title", created_at=day(2020)))
    await file(api.memory, adr(1, "Second title", created_at=day(2022)))
    query = """
    query ($id: ID!, $asOf: DateTime, $knownAt: DateTime) {
      stateAsOf(entity: $id, asOf: $asOf, knownAt: $knownAt) { props validFrom validUntil }
      entity(id: $id) { state(asOf: $asOf, knownAt: $knownAt) { props } }
    }
    """

    async def title(**times: str) -> str | None:
        found = await api.ask(query, id=str(filed.entity.id), **times)
        state, nested = found["stateAsOf"], found["entity"]["state"]
        assert (state or {}).get("props") == (nested or {}).get("props")
        return None if state is None else str(state["props"]["title"])

    assert await title() == "Second title"
    assert await title(asOf="2021-01-01T00:00:00Z") == "First title"
    assert await title(asOf="2022-01-01T00:00:00Z") == "Second title"
    assert await title(asOf="2021-12-31T23:59:59.999999Z") == "First title"
    assert await title(asOf="2019-01-01T00:00:00Z") is None
    assert await title(knownAt=filed.artifact.recorded_at.isoformat()) == "First title"
    assert await title(knownAt="2000-01-01T00:00:00Z") is None


async def test_events_join_the_states_of_a_history(api: Api) -> None:
    await file(api.memory, adr(1, "One", created_at=day(2020)))
    await file(api.memory, adr(1, "Three", created_at=day(2024)))
    await file(api.memory, adr(2, "Successor", created_at=day(2022), references=claims(SUPERSEDES, "ADR-1")))
    ids = await ids_by_label(api)
    query = """
    query ($id: ID!) {
      entity(id: $id) {
        states {
          nodes {
            id validFrom touchedAt recordedAt
            previous {
              eventType at actor description causeCommit propsDrift
              from { props } to { props } causeArtifact { identifier }
            }
            next { eventType at to { props } }
          }
        }
      }
    }
    """
    nodes = (await api.ask(query, id=ids["Three"]))["entity"]["states"]["nodes"]
    assert [node["previous"]["eventType"] for node in nodes][:2] == ["created", "superseded"]
    assert nodes[0]["previous"]["from"] is None
    assert nodes[1]["previous"]["from"]["props"]["title"] == "One"
    assert nodes[1]["previous"]["causeArtifact"] == {"identifier": "ADR-2"}
    assert nodes[1]["previous"]["actor"] == "ada"
    for earlier, later in pairwise(nodes):
        assert earlier["next"]["eventType"] == later["previous"]["eventType"]
        assert earlier["next"]["at"] == later["validFrom"]
    assert nodes[-1]["next"] is None


async def test_a_draft_comes_first_where_it_is_preferred(api: Api, owner: asyncpg.Connection) -> None:
    filed = await file(api.memory, adr(1, "Agreed"))
    await owner.execute(
        """
        WITH moved AS (
            UPDATE ledger_clock SET recorded_at = clock_timestamp() WHERE tenant_id = $1 RETURNING *
        )
        INSERT INTO entity_state (
            tenant_id, id, entity, branch, valid_from, recorded_at, props, wip_source, actor
        )
        SELECT tenant_id, gen_random_uuid(), $2, 'WIP', $3, recorded_at,
            '{"title": "Draft", "identifier": "ADR-1"}', 'EXPLICIT', 'ada'
        FROM moved
        """,
        api.memory.caller.tenant,
        filed.entity.id,
        day(2021),
    )
    query = """
    query ($id: ID!, $wip: Boolean, $asOf: DateTime) {
      asked: stateAsOf(entity: $id, preferWip: $wip, asOf: $asOf) { branch }
      usual: stateAsOf(entity: $id, asOf: $asOf) { branch previous { eventType } }
      entity(id: $id) {
        label
        asked: state(preferWip: $wip, asOf: $asOf) { branch }
        usual: state(asOf: $asOf) { branch }
        states { nodes { branch } }
      }
    }
    """
    found = await api.ask(query, id=str(filed.entity.id), wip=False)
    assert found["asked"] == found["entity"]["asked"] == {"branch": "COMMITTED"}
    assert found["usual"] == {"branch": "WIP", "previous": None}
    assert found["entity"]["usual"] == {"branch": "COMMITTED"}
    assert found["entity"]["label"] == "Agreed"
    assert [node["branch"] for node in found["entity"]["states"]["nodes"]] == ["COMMITTED", "WIP"]
    found = await api.ask(query, id=str(filed.entity.id), wip=True)
    assert found["asked"] == found["entity"]["asked"] == {"branch": "WIP"}
    found = await api.ask(query, id=str(filed.entity.id), wip=True, asOf="2020-06-01T00:00:00Z")
    assert found["asked"] == found["entity"]["asked"] == {"branch": "COMMITTED"}
