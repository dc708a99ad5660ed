from __future__ import annotations

from tests.documents import RELATES_TO, adr, claims
from tests.graphql.api import Api, ids_by_label


async def test_an_entity_shows_all_that_is_known_of_it(records: Api) -> None:
    ids = await ids_by_label(records)
    query = """
    query ($id: ID!) {
      entity(id: $id) {
        id label createdAt
        type { name zone ptype immutableProps mutableProps canReference { type target } }
        project { key name entityCount artifactCount }
        sourceArtifact { identifier }
        state { branch props validFrom validUntil entity { id } sourceArtifact { identifier } }
        aliases {
          surfaceForm authorityTier target { id } canonical { id } source { id } sourceArtifact { identifier }
        }
        references {
          totalCount nodes { type source { label } target { label } sourceArtifact { identifier } }
        }
        artifacts { nodes { identifier entity { id } } }
        supersededBy { label }
      }
    }
    """
    found = (await records.ask(query, id=ids["Name the queue"]))["entity"]
    assert found["type"]["name"] == "ADR"
    assert {"type": "SUPERSEDES", "target": "ADR"} in found["type"]["canReference"]
    assert found["project"] == {"key": "default", "name": "default", "entityCount": 3, "artifactCount": 3}
    assert found["sourceArtifact"] == {"identifier": "ADR-3"}
    assert found["state"]["entity"] == {"id": ids["Name the queue"]}
    assert [alias["surfaceForm"] for alias in found["aliases"]] == ["Prism Gate", "PrismGR"]
    assert all(alias["canonical"] == {"id": ids["Name the queue"]} for alias in found["aliases"])
    assert found["references"]["totalCount"] == 2
    assert {node["target"]["label"] for node in found["references"]["nodes"]} == {
        "Poll the queue",
        "Listen to the queue",
    }
    assert found["supersededBy"] is None
    old = (await records.ask(query, id=ids["Poll the queue"]))["entity"]
    assert old["supersededBy"] == {"label": "Listen to the queue"}
    assert old["references"]["totalCount"] == 2


async def test_neighbours_are_reached_step_by_step(api: Api) -> None:
    await api.file_all(
        [adr(n, f"Step {n}", references=claims(RELATES_TO, f"ADR-{n - 1}")) for n in range(1, 6)],
    )
    ids = await ids_by_label(api)
    query = """
    query ($id: ID!, $depth: Int, $first: Int) {
      entity(id: $id) {
        neighbors(depth: $depth, first: $first) {
          distance entity { label } path { source { label } target { label } }
        }
      }
    }
    """
    one = (await api.ask(query, id=ids["Step 3"]))["entity"]["neighbors"]
    assert sorted(near["entity"]["label"] for near in one) == ["Step 2", "Step 4"]
    two = (await api.ask(query, id=ids["Step 1"], depth=3))["entity"]["neighbors"]
    assert [(near["entity"]["label"], near["distance"]) for near in two] == [
        ("Step 2", 1),
        ("Step 3", 2),
        ("Step 4", 3),
    ]
    assert two[2]["path"] == [
        {"source": {"label": f"Step {n + 1}"}, "target": {"label": f"Step {n}"}} for n in (1, 2, 3)
    ]
    assert len((await api.ask(query, id=ids["Step 1"], depth=3, first=2))["entity"]["neighbors"]) == 2
    assert (await api.ask(query, id=ids["Step 1"], first=0))["entity"]["neighbors"] == []
    for depth in (0, 4, -1):
        error = await api.refused(query, id=ids["Step 1"], depth=depth)
        assert error["extensions"] == {"code": "BAD_USER_INPUT", "field": "depth"}


async def test_similar_entities_are_near_in_meaning(api: Api) -> None:
    await api.file_all(
        [
            adr(1, "Cats", "The cat sleeps on the warm sofa."),
            adr(2, "Kittens", "A kitten naps on the couch."),
            adr(3, "Taxes", "Value added tax is due in the third quarter."),
        ],
    )
    ids = await ids_by_label(api)
    query = """
    query ($id: ID!, $first: Int) {
      entity(id: $id) { similar(first: $first) { score entity { label } } }
    }
    """
    found = (await api.ask(query, id=ids["Cats"]))["entity"]["similar"]
    assert [near["entity"]["label"] for near in found] == ["Kittens", "Taxes"]
    assert 1 >= found[0]["score"] > found[1]["score"] >= -1
    assert len((await api.ask(query, id=ids["Cats"], first=1))["entity"]["similar"]) == 1
