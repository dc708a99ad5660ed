from __future__ import annotations

from dataclasses import replace

import pytest

from tests.documents import RELATES_TO, adr, claims, day, file
from tests.graphql.api import Api, ids_by_label


async def test_an_artifact_is_found_by_any_spelling(records: Api) -> None:
    query = """
    query ($identifier: String!) {
      artifacts(identifier: $identifier) {
        totalCount nodes { id identifier title passages { ordinal text } }
      }
    }
    """
    for spelling in ("ADR-1", "adr 0001", "ADR1", "adr-1"):
        found = (await records.ask(query, identifier=spelling))["artifacts"]
        assert found["totalCount"] == 1
        assert found["nodes"][0]["identifier"] == "ADR-1"
    assert "".join(passage["text"] for passage in found["nodes"][0]["passages"]).startswith("Workers poll")
    assert (await records.ask(query, identifier="ADR-10"))["artifacts"]["nodes"] == []


@pytest.mark.parametrize("identifier", ["are", "", " ", " \t\n ", "\u200b", "%", "_", "*", "ADR"])
async def test_deg_03_what_no_identifier_is_lists_nothing(records: Api, identifier: str) -> None:
    """DEG-03, DEG-07: a filter of nothing, or of a word that none has, is not the absence of a filter."""
    query = "query ($identifier: String) { artifacts(identifier: $identifier) { totalCount nodes { id } } }"
    assert (await records.ask(query, identifier=identifier))["artifacts"] == {"totalCount": 0, "nodes": []}
    assert (await records.ask(query))["artifacts"]["totalCount"] == 3


async def test_lists_are_narrowed_by_project_and_type(records: Api) -> None:
    await file(records.memory, replace(adr(1, "Elsewhere"), kind="SPEC"), "other")
    query = """
    query ($project: String, $type: String) {
      entities(project: $project, type: $type) { totalCount nodes { label } }
      artifacts(project: $project, kind: $type) { totalCount }
    }
    """
    assert (await records.ask(query))["entities"]["totalCount"] == 4
    other = await records.ask(query, project="OTHER")
    assert other["entities"]["nodes"] == [{"label": "Elsewhere"}]
    spec = await records.ask(query, type="spec")
    assert (spec["entities"]["totalCount"], spec["artifacts"]["totalCount"]) == (1, 1)
    error = await records.refused('{ entities(type: "Nonsense") { totalCount } }')
    assert "the defined ones are ADR, " in error["message"]
    assert (error["extensions"]["code"], error["extensions"]["field"]) == ("BAD_USER_INPUT", "type")
    assert "ADR" in error["extensions"]["allowed"]
    error = await records.refused('{ artifacts(project: "nowhere") { totalCount } }')
    assert error["extensions"] == {"code": "NOT_FOUND", "field": "project"}


async def test_entities_are_those_of_the_instant(records: Api) -> None:
    query = "query ($asOf: DateTime) { entities(asOf: $asOf) { totalCount nodes { label } } }"
    then = (await records.ask(query, asOf="2022-06-01T00:00:00Z"))["entities"]
    assert [node["label"] for node in then["nodes"]] == ["Listen to the queue", "Poll the queue"]
    assert then["totalCount"] == 2


async def test_references_are_narrowed_by_end_type_and_instant(records: Api) -> None:
    ids = await ids_by_label(records)
    query = """
    query ($source: ID, $target: ID, $type: ReferenceType, $asOf: DateTime) {
      references(source: $source, target: $target, type: $type, asOf: $asOf) { totalCount nodes { type } }
    }
    """
    assert (await records.ask(query))["references"]["totalCount"] == 3
    assert (await records.ask(query, target=ids["Poll the queue"]))["references"]["totalCount"] == 2
    assert (await records.ask(query, source=ids["Name the queue"]))["references"]["totalCount"] == 2
    assert (await records.ask(query, type="SUPERSEDES"))["references"]["totalCount"] == 1
    assert (await records.ask(query, asOf="2022-06-01T00:00:00Z"))["references"]["totalCount"] == 1
    directed = (
        "query ($id: ID!) { entity(id: $id) { references(direction: %s) { totalCount nodes { type } } } }"
    )
    outward = await records.ask(directed % "OUT", id=ids["Listen to the queue"])
    assert outward["entity"]["references"]["nodes"] == [{"type": "SUPERSEDES"}]
    inward = await records.ask(directed % "IN", id=ids["Listen to the queue"])
    assert inward["entity"]["references"] == {"totalCount": 1, "nodes": [{"type": "RELATES_TO"}]}


async def test_types_and_projects_are_listed(records: Api) -> None:
    await file(records.memory, adr(1, "Elsewhere"), "other")
    data = await records.ask("{ types { name zone ptype } projects { key artifactCount entityCount } }")
    assert len(data["types"]) == 14
    assert {"name": "Project", "zone": "SYSTEM", "ptype": None} in data["types"]
    assert data["projects"] == [
        {"key": "default", "artifactCount": 3, "entityCount": 3},
        {"key": "other", "artifactCount": 1, "entityCount": 1},
    ]
    error = await records.refused('{ types(project: "Othr") { name } }')
    assert "(the projects are default, other); did you mean other? `trigraph ingest" in error["message"]
    error = await records.refused('{ types(project: "nowhere") { name } }')
    assert "did you mean" not in error["message"]
    assert error["extensions"]["code"] == "NOT_FOUND"


async def test_a_reference_is_not_older_than_either_of_its_ends(api: Api) -> None:
    await api.file_all(
        [
            adr(1, "Early", created_at=day(2020), references=claims(RELATES_TO, "ADR-2")),
            adr(2, "Late", created_at=day(2024)),
        ]
    )
    ids = await ids_by_label(api)
    query = """
    query ($id: ID!, $asOf: DateTime) {
      references(asOf: $asOf) { totalCount }
      entity(id: $id) {
        references(asOf: $asOf) { totalCount nodes { id } }
        neighbors(asOf: $asOf) { distance }
      }
    }
    """
    now = await api.ask(query, id=ids["Early"])
    assert now["references"]["totalCount"] == 1
    assert len(now["entity"]["references"]["nodes"]) == len(now["entity"]["neighbors"]) == 1
    then = await api.ask(query, id=ids["Early"], asOf="2022-01-01T00:00:00Z")
    assert then["references"]["totalCount"] == 0
    assert then["entity"] == {"references": {"totalCount": 0, "nodes": []}, "neighbors": []}


@pytest.mark.parametrize(
    ("asked", "labels"),
    [
        ("flags: [CURRENT]", ["Name the queue", "Listen to the queue"]),
        ("flags: [HISTORICAL, WIP]", ["Poll the queue"]),
        ('status: "SUPERSEDED"', ["Poll the queue"]),
        ('flags: [CURRENT], status: "superseded"', []),
        ("flags: []", []),
        ('text: "NAME the"', ["Name the queue"]),
        ('text: "queue", flags: [CURRENT]', ["Name the queue", "Listen to the queue"]),
        ('text: "%"', []),
        ('createdFrom: "2022-01-01T00:00:00Z"', ["Name the queue", "Listen to the queue"]),
        ('createdFrom: "2020-01-01T00:00:00Z", createdUntil: "2022-01-01T00:00:00Z"', ["Poll the queue"]),
    ],
)
async def test_entities_are_listed_by_flag_and_status(records: Api, asked: str, labels: list[str]) -> None:
    found = (await records.ask(f"{{ entities({asked}) {{ totalCount nodes {{ label }} }} }}"))["entities"]
    assert {node["label"] for node in found["nodes"]} == set(labels)
    assert found["totalCount"] == len(labels)


@pytest.mark.parametrize(
    ("asked", "titles"),
    [
        ('text: "QUEUE"', 3),
        ('text: "name the"', 1),
        ('text: "_"', 0),
        ('createdFrom: "2022-01-01T00:00:00Z"', 2),
        ('createdUntil: "2022-01-01T00:00:00Z"', 1),
        ('source: "docs/adr/"', 1),
        ('source: "docs"', 2),
        ('source: ""', 2),
    ],
)
async def test_artifacts_are_listed_by_title_date_and_source(records: Api, asked: str, titles: int) -> None:
    if "source" in asked:
        await records.file("One.", identifier="ADR-8", sourceUri="docs/adr/8.md")
        await records.file("Two.", identifier="ADR-9", sourceUri="docs/rfc/9.md")
    found = (await records.ask(f"{{ artifacts({asked}) {{ totalCount nodes {{ title }} }} }}"))["artifacts"]
    assert found["totalCount"] == len(found["nodes"]) == titles
