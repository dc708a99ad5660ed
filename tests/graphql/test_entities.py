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


async def test_flags_status_and_identifier_outside_recall_are_of_the_moment(records: Api) -> None:
    """The same flag as in recall, for a thing without a document and an older version too."""
    await records.file("Workers listen, but twice.", identifier="ADR-3", title="Name the queue")
    await records.ask(
        "mutation ($input: CreateEntityInput!) { createEntity(input: $input) { entity { id } } }",
        input={"type": "Component", "props": {"name": "Harbor", "status": "retired"}},
    )
    query = """
    query ($asOf: DateTime) {
      entities(asOf: $asOf, first: 10) {
        nodes { label identifier status stateFlag artifacts(first: 5) { nodes { title body stateFlag } } }
      }
      artifacts { nodes { title body stateFlag } }
    }
    """
    now = await records.ask(query)
    found = {node["label"]: node for node in now["entities"]["nodes"]}
    said = {label: (node["identifier"], node["status"], node["stateFlag"]) for label, node in found.items()}
    assert said == {
        "Poll the queue": ("ADR-1", "superseded", "HISTORICAL"),
        "Listen to the queue": ("ADR-2", "Accepted", "CURRENT"),
        "Name the queue": ("ADR-3", found["Name the queue"]["status"], "CURRENT"),
        "Harbor": (None, "retired", "HISTORICAL"),
    }
    versions = found["Name the queue"]["artifacts"]["nodes"]
    assert [each["stateFlag"] for each in versions] == ["CURRENT", "HISTORICAL"]
    assert {(each["title"], each["body"]): each["stateFlag"] for each in now["artifacts"]["nodes"]} == {
        (each["title"], each["body"]): each["stateFlag"]
        for node in found.values()
        for each in node["artifacts"]["nodes"]
    }
    then = (await records.ask(query, asOf="2021-01-01T00:00:00Z"))["entities"]["nodes"]
    assert [(node["label"], node["status"], node["stateFlag"]) for node in then] == [
        ("Poll the queue", "Accepted", "CURRENT")
    ]
    assert [each["stateFlag"] for each in then[0]["artifacts"]["nodes"]] == ["CURRENT"]


async def test_a_flag_is_that_of_a_recall(records: Api) -> None:
    hit = "stateFlag flagGround artifact { stateFlag }"
    recalled = f'{{ recall(query: "queue", preferWip: false) {{ hits {{ {hit} }} }} }}'
    hits = (await records.ask(recalled))["recall"]["hits"]
    assert len(hits) == 3
    own = [each for each in hits if each["flagGround"] != "MENTION"]
    assert [each["stateFlag"] for each in own] == [each["artifact"]["stateFlag"] for each in own]
