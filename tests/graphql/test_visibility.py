from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import asyncpg

from app.domain.entity import Caller
from app.services.container import Memory
from app.stores.postgres.projects import ensure_tenant
from tests.graphql.api import Api, ids_by_label


async def test_a_node_is_found_by_its_id_alone(records: Api) -> None:
    ids = await ids_by_label(records)
    seen = await records.ask(
        """
        query ($id: ID!) {
          entity(id: $id) {
            id state { id } aliases { id } references { nodes { id } } sourceArtifact { id }
          }
        }
        """,
        id=ids["Name the queue"],
    )
    entity = seen["entity"]
    expected = {
        entity["id"]: "Entity",
        entity["state"]["id"]: "EntityState",
        entity["aliases"][0]["id"]: "Alias",
        entity["references"]["nodes"][0]["id"]: "Reference",
        entity["sourceArtifact"]["id"]: "Artifact",
    }
    for id, kind in expected.items():
        node = await records.ask("query ($id: ID!) { node(id: $id) { __typename id } }", id=id)
        assert node["node"] == {"__typename": kind, "id": id}
    asked = [*expected, str(uuid4()), "no uuid", *reversed(expected)]
    nodes = await records.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }", ids=asked)
    assert [node and (node["id"], node["__typename"]) for node in nodes["nodes"]] == [
        (id, expected[id]) if id in expected else None for id in asked
    ]
    error = await records.refused("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=asked * 10)
    assert error["message"] == "ids has 120 items; at most 100 are allowed"


async def test_the_cost_of_nodes_grows_with_their_number(records: Api) -> None:
    below = "{ ... on Entity { artifacts(first: 100) { nodes { passages { text } } } } }"
    given = {"ids": [str(number) for number in range(100)]}
    literal = ", ".join(f'"{id}"' for id in given["ids"])
    for query, variables in (
        (f"query ($ids: [ID!]!) {{ nodes(ids: $ids) {below} }}", given),
        (f"{{ nodes(ids: [{literal}]) {below} }}", {}),
    ):
        error = await records.refused(query, **variables)
        assert error["extensions"]["limit"] == "cost"


ANYTHING = """
query ($id: ID!) {
  node(id: $id) { id }
  nodes(ids: [$id]) { id }
  entity(id: $id) { id }
  artifact(id: $id) { id }
  stateAsOf(entity: $id) { id }
  references(target: $id) { totalCount }
}
"""


ABSENT = {
    "node": None,
    "nodes": [None],
    "entity": None,
    "artifact": None,
    "stateAsOf": None,
    "references": {"totalCount": 0},
}


async def test_what_is_not_there_is_null(records: Api) -> None:
    for id in (str(uuid4()), "no uuid", "", "1", "\x00"):
        assert await records.ask(ANYTHING, id=id) == ABSENT


async def test_another_tenant_sees_nothing(records: Api, memory: Memory, owner: asyncpg.Connection) -> None:
    caller: Caller = replace(memory.caller, tenant=await ensure_tenant(owner, "another"))
    another = Api(replace(memory, caller=caller))
    ids = await ids_by_label(records)
    artifact = (await records.ask("{ artifacts(first: 1) { nodes { id } edges { cursor } } }"))["artifacts"]
    for id in (*ids.values(), artifact["nodes"][0]["id"]):
        assert await another.ask(ANYTHING, id=id) == ABSENT
    lists = await another.ask(
        """
        query ($after: String) {
          projects { key }
          artifacts(after: $after) { totalCount nodes { id } }
          entities { totalCount nodes { id } }
          resolveAlias(surfaceForm: "PrismGR") { surfaceForm }
          recall(query: "queue") { hits { rank } anchors { surfaceForm } }
        }
        """,
        after=artifact["edges"][0]["cursor"],
    )
    assert lists == {
        "projects": [],
        "artifacts": {"totalCount": 0, "nodes": []},
        "entities": {"totalCount": 0, "nodes": []},
        "resolveAlias": None,
        "recall": {"hits": [], "anchors": []},
    }
