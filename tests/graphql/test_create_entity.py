from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from app.domain.entity import Role
from tests.graphql.api import Api
from tests.statements import counted

CREATE = """
mutation ($input: CreateEntityInput!) {
  createEntity(input: $input) {
    position problems { __typename code message field }
    entity { id label createdAt type { name } project { key } sourceArtifact { id } }
    state { id branch validFrom validUntil props previous { eventType actor from { id } } }
  }
}
"""


async def create(
    api: Api, type: str = "Component", project: str | None = None, **props: Any
) -> dict[str, Any]:
    return await create_with(api, type=type, project=project, props=props)


async def create_with(api: Api, **said: Any) -> dict[str, Any]:
    data = await api.ask(CREATE, input={"type": "Component", **said})
    return dict(data["createEntity"])


def problem(payload: dict[str, Any]) -> dict[str, Any]:
    (only,) = payload["problems"]
    assert payload["entity"] is None
    return dict(only)


async def test_a_thing_is_created_with_its_first_state(api: Api) -> None:
    payload = await create_with(
        api,
        type="component",
        project="platform",
        props={"name": "Harbor", "status": "running", "owner": None},
        validFrom="2024-05-01T02:00:00+02:00",
    )
    assert payload["problems"] == []
    assert int(payload["position"]) > 0
    entity, state = payload["entity"], payload["state"]
    assert entity["label"] == "Harbor"
    assert entity["createdAt"] == state["validFrom"] == "2024-05-01T00:00:00Z"
    assert (entity["type"]["name"], entity["project"]["key"]) == ("Component", "platform")
    assert entity["sourceArtifact"] is None
    assert state["props"] == {"name": "Harbor", "status": "running"}
    assert (state["branch"], state["validUntil"]) == ("COMMITTED", None)
    assert state["previous"] == {"eventType": "created", "actor": "ada", "from": None}


async def test_a_listing_shows_things_with_their_state_at_an_instant(api: Api) -> None:
    await create_with(api, props={"name": "Harbor"}, validFrom="2024-01-01T00:00:00Z")
    await create_with(api, props={"name": "Beacon"}, validFrom="2025-01-01T00:00:00Z")
    query = """
    query ($asOf: DateTime) {
      entities(type: "Component", asOf: $asOf) {
        totalCount nodes { type { name } state(asOf: $asOf) { props } }
      }
    }
    """
    then = (await api.ask(query, asOf="2024-06-01T00:00:00Z"))["entities"]
    assert then == {
        "totalCount": 1,
        "nodes": [{"type": {"name": "Component"}, "state": {"props": {"name": "Harbor"}}}],
    }
    assert (await api.ask(query))["entities"]["totalCount"] == 2


async def test_a_long_listing_costs_no_more_statements_than_a_short_one(api: Api) -> None:
    for number in range(12):
        await create(api, name=f"Part {number}")
    query = """
    query ($first: Int, $asOf: DateTime) {
      entities(type: "Component", asOf: $asOf, first: $first) {
        nodes { label type { name canReference { type } } project { key } state(asOf: $asOf) { props } }
      }
    }
    """
    lengths = []
    for first in (2, 12):
        async with counted(api.memory.database) as statements:
            found = await api.ask(query, first=first, asOf="2100-01-01T00:00:00Z")
        assert len(found["entities"]["nodes"]) == first
        lengths.append(len(statements))
    assert lengths[0] == lengths[1]


@pytest.mark.parametrize(
    ("said", "field", "words"),
    [
        (
            {"props": {"name": "A", "colour": "red", "aura": 1}},
            "props",
            "no property aura, colour; its properties are name,",
        ),
        ({"props": {}}, "props", "Component needs name"),
        ({"props": {"name": None, "status": "x"}}, "props", "Component needs name"),
        ({"props": {"name": "\u3000 "}}, "props", "name is a string of 1 to 512"),
        ({"props": {"name": "\u200b"}}, "props", "name is a string"),
        ({"props": {"name": 7}}, "props", "name is a string"),
        ({"props": {"name": "n" * 513}}, "props", "name is a string"),
        ({"props": []}, "props", "an object of properties"),
        ({"props": {"name": "A", "description": "d" * 70_000}}, "props", "more than 65536 bytes"),
        ({"type": "EnvVar", "props": {"value": "1"}}, "props", "EnvVar needs key from the start"),
        ({"type": "Session", "props": {"title": "Stand-up"}}, "props", "needs startedAt"),
        ({"type": "Persona", "props": {"handle": ["ada"]}}, "props", "handle is a string"),
        ({"type": "adr", "props": {"title": "A"}}, "type", "use fileArtifact with kind ADR"),
        (
            {"type": "Ship", "props": {"name": "A"}},
            "type",
            "the defined ones are Component, EnvVar, Location, Mode, Persona, Project, Session",
        ),
        ({"project": "", "props": {"name": "A"}}, "project", "a project key has"),
        (
            {"props": {"name": "A"}, "validFrom": "0001-01-01T00:00:00Z"},
            "validFrom",
            "after the first day of year 1",
        ),
    ],
)
async def test_an_unfit_thing_is_refused_by_name(
    api: Api, owner: asyncpg.Connection, said: dict[str, Any], field: str, words: str
) -> None:
    refusal = problem(await create_with(api, **said))
    assert (refusal["code"], refusal["field"]) == ("INVALID", field)
    assert words in refusal["message"]
    for table in ("entity", "entity_state", "project", "outbox WHERE kind <> 'type'"):
        assert await owner.fetchval(f"SELECT count(*) FROM {table}") == 0


@pytest.mark.parametrize(
    ("type", "props", "again"),
    [
        ("EnvVar", {"key": "DATABASE_URL"}, {"key": "database_url", "value": "x"}),
        ("Persona", {"handle": "ada", "name": "Ada"}, {"handle": "ADA", "name": "Another"}),
        ("Component", {"name": "Payment Gateway"}, {"name": "  payment\u00a0gateway "}),
        (
            "Session",
            {"startedAt": "2024-01-01T00:00:00Z"},
            {"startedAt": "2024-01-01T00:00:00Z", "title": "B"},
        ),
    ],
)
async def test_what_is_there_already_is_a_conflict_that_names_it(
    api: Api, type: str, props: dict[str, Any], again: dict[str, Any]
) -> None:
    first = await create(api, type, **props)
    refusal = problem(await create(api, type, **again))
    assert (refusal["code"], refusal["field"]) == ("CONFLICT", "props")
    assert f"({first['entity']['id']}) exists already" in refusal["message"]
    fixed = {"Persona": "handle", "EnvVar": "key", "Session": "startedAt"}
    if type in fixed:
        assert f"with the same {fixed[type]}, which cannot change; use that entity" in refusal["message"]
    elsewhere = await create(api, type, "another", **again)
    assert elsewhere["problems"] == []


async def test_things_of_two_types_may_share_a_name_and_so_may_two_people(api: Api) -> None:
    for type, props in (
        ("Component", {"name": "Harbor"}),
        ("Location", {"name": "Harbor"}),
        ("Persona", {"handle": "h1", "name": "Harbor"}),
        ("Persona", {"handle": "h2", "name": "Harbor"}),
        ("Session", {"startedAt": "2024-01-01T00:00:00Z", "title": "Harbor"}),
        ("Session", {"startedAt": "2024-01-01T00:00:01Z", "title": "Harbor"}),
        ("EnvVar", {"key": "a/b"}),
        ("EnvVar", {"key": "b"}),
    ):
        assert (await create(api, type, **props))["problems"] == []


async def test_an_identifier_is_one_among_things_and_documents(api: Api) -> None:
    await api.ask(
        """
        mutation { defineType(input: {name: "Rule", immutableProps: ["identifier"], mutableProps: ["title"]})
          { problems { message } } }
        """
    )
    filed = await api.file("# ADR-7: Keep a ledger\n\nIt follows RULE-12.")
    refusal = problem(await create(api, "Rule", identifier="adr 0007"))
    assert f"ADR Keep a ledger ({filed['entity']['id']}) exists already" in refusal["message"]
    made = await create(api, "Rule", identifier="RULE-0012", title="Never overwrite")
    assert made["problems"] == []
    refused = await api.file("Text.", identifier="rule-12")
    assert [each["code"] for each in refused["problems"]] == ["CONFLICT"]


async def test_a_name_that_is_the_alias_of_something_else_is_a_conflict(api: Api) -> None:
    filed = await api.file("---\naliases: [Lighthouse]\n---\n# ADR-8: Beacon\n\nText.")
    refusal = problem(await create(api, name="LIGHTHOUSE"))
    assert refusal["code"] == "CONFLICT"
    assert f"ADR Beacon ({filed['entity']['id']}) has the alias LIGHTHOUSE" in refusal["message"]


async def test_ali_07_one_way_of_folding_tells_which_names_are_one(api: Api) -> None:
    """ALI-07: İ keeps its dot, ß is ss, both sigmas are one; the second of a pair names the first."""
    for pair, same in (
        (("İzmir Gateway", "izmir gateway"), False),
        (("STRASSE", "Straße"), True),
        (("ΣΊΣΥΦΟΣ", "σίσυφος"), True),
    ):
        first = await create(api, name=pair[0])
        second = await create(api, name=pair[1])
        if same:
            assert first["entity"]["id"] in problem(second)["message"]
        else:
            assert second["problems"] == []


async def test_references_that_waited_for_a_name_find_the_thing(api: Api) -> None:
    filed = await api.file(
        "# ADR-1: Move\n\n## Documents\n\n- Payment Gateway\n\n## Supersedes\n\n- Old Gateway\n"
        "\n## Documented by\n\n- Handbook\n"
    )
    for name in ("Payment Gateway", "Old Gateway", "Handbook"):
        assert (await create(api, name=name))["problems"] == []
    query = """
    query ($id: ID!) {
      entity(id: $id) {
        references { nodes { type source { label } target { label } sourceArtifact { id } } }
      }
    }
    """
    nodes = (await api.ask(query, id=filed["entity"]["id"]))["entity"]["references"]["nodes"]
    assert {(node["source"]["label"], node["type"], node["target"]["label"]) for node in nodes} == {
        ("Move", "DOCUMENTS", "Payment Gateway"),
        ("Move", "REFERENCES", "Old Gateway"),
        ("Handbook", "REFERENCES", "Move"),
    }
    assert {node["sourceArtifact"]["id"] for node in nodes} == {filed["artifact"]["id"]}


async def test_a_document_filed_later_finds_the_thing_by_name(api: Api) -> None:
    made = await create(api, name="Payment Gateway")
    await create(api, name="Handbook")
    filed = await api.file(
        "# ADR-1: Move\n\n## Documents\n\n- Payment Gateway\n\n## Documented by\n\n- handbook\n"
    )
    assert filed["problems"] == []
    assert {reference["type"] for reference in filed["references"]} == {"DOCUMENTS", "REFERENCES"}
    resolved = await api.ask('{ resolveAlias(surfaceForm: "payment  GATEWAY") { entity { id } } }')
    assert resolved["resolveAlias"]["entity"]["id"] == made["entity"]["id"]


async def test_texts_filed_earlier_mention_a_thing_by_its_names(api: Api, owner: asyncpg.Connection) -> None:
    await api.file("# ADR-1: Deploy\n\nThe Harbor restarts. A harbor is a place; ada_l wrote this.")
    await create(api, name="Harbor")
    await create(api, "Persona", handle="ada_l")
    rows = await owner.fetch("SELECT surface_form, occurrences FROM mention ORDER BY surface_form")
    assert [tuple(row) for row in rows] == [("Harbor", 2), ("ada_l", 1)]


async def test_of_many_who_create_one_thing_one_does(api: Api, owner: asyncpg.Connection) -> None:
    answers = await asyncio.gather(*(create(api, "EnvVar", key="PORT") for _ in range(20)))
    outcomes = Counter(each["problems"][0]["code"] if each["problems"] else "made" for each in answers)
    assert outcomes == {"made": 1, "CONFLICT": 19}
    assert await owner.fetchval("SELECT count(*) FROM entity") == 1


async def test_the_same_key_and_thing_give_the_first_answer_again(
    api: Api, owner: asyncpg.Connection
) -> None:
    said = {"props": {"name": "Harbor"}, "validFrom": "2024-01-01T00:00:00Z", "idempotencyKey": "one"}
    first = await create_with(api, **said)
    assert await create_with(api, **said) == first
    other = problem(await create_with(api, **{**said, "props": {"name": "Beacon"}}))
    assert (other["code"], other["field"]) == ("CONFLICT", "idempotencyKey")
    assert await owner.fetchval("SELECT count(*) FROM entity") == 1


async def test_a_reader_may_not_create_and_an_agent_may_where_the_project_is(api: Api) -> None:
    agent = Api(replace(api.memory, caller=replace(api.memory.caller, role=Role.AGENT)))
    assert problem(await create(agent, name="Harbor"))["code"] == "FORBIDDEN"
    await create(api, name="Beacon")
    for role, codes in ((Role.READER, ["FORBIDDEN"]), (Role.AGENT, [])):
        other = Api(replace(api.memory, caller=replace(api.memory.caller, role=role)))
        assert [each["code"] for each in (await create(other, name="Harbor"))["problems"]] == codes


async def test_characters_that_no_store_keeps_are_replaced(api: Api) -> None:
    made = await create(api, name="A\x00b", description=["\ud800"])
    assert made["state"]["props"] == {"name": "A\ufffdb", "description": ["\ufffd"]}
