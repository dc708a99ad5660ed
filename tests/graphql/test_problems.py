"""What a problem has for programs: what may be given, what was meant, and what is there instead."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.documents import adr, day, file
from tests.graphql.api import Api

PROBLEM = """
__typename code field message
... on InvalidProblem { allowed }
... on ConflictProblem { current { __typename id } }
... on AmbiguousProblem { candidates { id label } }
"""


@pytest.fixture
async def queue(api: Api) -> str:
    filed = await file(api.memory, adr(1, "Queue", created_at=day(2020)))
    return str(filed.entity.id)


async def told(api: Api, mutation: str, **said: Any) -> dict[str, Any]:
    """Return the one problem of a mutation."""
    input = "ReviewCandidate" if mutation.startswith("review") else mutation[0].upper() + mutation[1:]
    payload = f"{mutation}(input: $input) {{ problems {{ {PROBLEM} }} }}"
    operation = f"mutation ($input: {input}Input!) {{ {payload} }}"
    (problem,) = (await api.ask(operation, input=said))[mutation]["problems"]
    return dict(problem)


async def made(api: Api, name: str) -> str:
    operation = "mutation ($input: CreateEntityInput!) { createEntity(input: $input) { entity { id } } }"
    data = await api.ask(operation, input={"type": "Component", "props": {"name": name}})
    return str(data["createEntity"]["entity"]["id"])


async def test_a_conflict_has_what_is_there_instead(api: Api, queue: str) -> None:
    harbor = await made(api, "Harbor")
    (state,) = (await api.ask("query ($id: ID!) { entity(id: $id) { state { id } } }", id=queue)).values()
    draft = "mutation ($input: SaveWipInput!) { saveWip(input: $input) { state { id } } }"
    saved = [
        (await api.ask(draft, input={"entity": queue, "props": {"title": title}}))["saveWip"]["state"]["id"]
        for title in ("One", "Two")
    ]
    stale = {"entity": queue, "expectedState": str(uuid4())}
    expected: dict[str, tuple[dict[str, Any], str, str]] = {
        "recordFact": ({**stale, "property": "status", "value": "x"}, "EntityState", state["state"]["id"]),
        "transition": (
            {**stale, "props": {"status": "x"}, "eventType": "status_transition"},
            "EntityState",
            state["state"]["id"],
        ),
        "saveWip": ({**stale, "props": {"status": "x"}}, "EntityState", saved[1]),
        "sealWip": ({"state": saved[0]}, "EntityState", saved[1]),
        "discardWip": ({"state": saved[0]}, "EntityState", saved[1]),
        "createEntity": ({"type": "Component", "props": {"name": "Harbor"}}, "Entity", harbor),
        "moveArtifact": ({"entity": queue, "identifier": "ADR-1"}, "Entity", queue),
        "fileArtifact": ({"kind": "SPEC", "identifier": "ADR-1", "body": "Text."}, "Entity", queue),
    }
    for mutation, (said, kind, id) in expected.items():
        problem = await told(api, mutation, **said)
        assert problem["code"] == "CONFLICT", problem
        assert problem["current"] == {"__typename": kind, "id": id}, mutation


async def test_a_conflict_about_no_object_has_none(api: Api) -> None:
    said = {"kind": "ADR", "body": "Text.", "idempotencyKey": "one"}
    await api.file(**said)
    problem = await told(api, "fileArtifact", **{**said, "body": "Other text."})
    assert problem["__typename"] == "ConflictProblem"
    assert problem["current"] is None


@pytest.mark.parametrize(
    ("mutation", "said", "field", "among"),
    [
        ("fileArtifact", {"kind": "Haiku", "body": "Text."}, "kind", "ADR"),
        ("fileArtifact", {"kind": "Component", "body": "Text."}, "kind", "ADR"),
        ("createEntity", {"type": "Haiku", "props": {"name": "X"}}, "type", "Component"),
        ("createEntity", {"type": "Component", "props": {"smell": "X"}}, "props", "name"),
        ("recordFact", {"property": "smell", "value": "X"}, "property", "status"),
        ("saveWip", {"props": {"smell": "X"}}, "props", "title"),
        ("createReference", {"type": "DEPENDS_ON"}, "type", "REFERENCES"),
        ("reviewAliasCandidate", {"candidate": str(uuid4()), "status": "PENDING"}, "status", "PROMOTED"),
    ],
)
async def test_an_invalid_value_comes_with_the_valid_ones(
    api: Api, queue: str, mutation: str, said: dict[str, Any], field: str, among: str
) -> None:
    if mutation in ("recordFact", "saveWip"):
        said = {"entity": queue, **said}
    if mutation == "createReference":
        said = {"source": await made(api, "Harbor"), "target": queue, **said}
    problem = await told(api, mutation, **said)
    assert (problem["code"], problem["field"]) == ("INVALID", field)
    assert among in problem["allowed"]


async def test_an_ambiguous_name_has_the_entities_that_it_could_mean(api: Api, queue: str) -> None:
    harbor = await made(api, "Harbor")
    problem = await told(api, "createAlias", surfaceForm="Harbor", target=queue)
    assert (problem["__typename"], problem["code"]) == ("AmbiguousProblem", "CONFLICT")
    assert {each["id"] for each in problem["candidates"]} == {harbor, queue}
    assert {each["label"] for each in problem["candidates"]} == {"Harbor", "Queue"}


async def test_the_errors_of_queries_have_the_same(api: Api) -> None:
    error = await api.refused('{ entities(type: "Haiku") { totalCount } }')
    assert {"ADR", "Component"} <= set(error["extensions"]["allowed"])
    for name in ("one", "two"):
        await file(api.memory, adr(1, f"Queue {name}"), name)
    ids = {node["id"] for node in (await api.ask("{ entities { nodes { id } } }"))["entities"]["nodes"]}
    error = await api.refused('{ resolveAlias(surfaceForm: "ADR-1") { surfaceForm } }')
    assert set(error["extensions"]["candidates"]) == ids
