from __future__ import annotations

from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from app.domain.entity import Role
from tests.graphql.api import Api

DEFINE = """
mutation ($input: DefineTypeInput!) {
  defineType(input: $input) {
    changed position problems { __typename code message field }
    type { name zone ptype isDocument immutableProps mutableProps canReference { type target } }
  }
}
"""
SERVICE = {"name": "Service", "immutableProps": ["slug"], "mutableProps": ["name", "status"]}


async def define(api: Api, **said: Any) -> dict[str, Any]:
    data = await api.ask(DEFINE, input={**SERVICE, **said})
    return dict(data["defineType"])


async def test_a_type_is_defined_in_its_project(api: Api) -> None:
    payload = await define(api, project="platform")
    assert payload["problems"] == []
    assert payload["changed"] is True
    assert int(payload["position"]) > 0
    found = payload["type"]
    assert (found["zone"], found["ptype"], found["isDocument"]) == ("PROJECT", "application", False)
    assert (found["immutableProps"], found["mutableProps"]) == (["slug"], ["name", "status"])
    rules = {(rule["type"], rule["target"]) for rule in found["canReference"]}
    assert {("RELATES_TO", "Service"), ("REFERENCES", "Component"), ("IMPLEMENTS", "SPEC")} <= rules
    assert ("SUPERSEDES", "Service") not in rules
    query = "query ($project: String) { types(project: $project) { name } }"
    await api.file("# ADR-1: Elsewhere\n\nText.")
    assert {"name": "Service"} in (await api.ask(query, project="platform"))["types"]
    assert {"name": "Service"} not in (await api.ask(query, project="default"))["types"]


async def test_documents_are_filed_under_a_type_that_was_defined_for_them(api: Api) -> None:
    payload = await define(api, name="RFC", immutableProps=None, mutableProps=["area"], isDocument=True)
    assert payload["type"]["immutableProps"] == ["identifier"]
    assert {"title", "status", "area"} <= set(payload["type"]["mutableProps"])
    filed = await api.file("---\narea: transport\n---\n# RFC-9: Segments\n\nText.", kind="rfc")
    assert filed["problems"] == []
    assert filed["state"]["props"]["area"] == "transport"
    assert filed["artifact"]["kind"] == "RFC"


async def test_a_property_is_one_however_its_accents_are_written(api: Api) -> None:
    apart, composed = "me\u0301ta", "m\u00e9ta"
    payload = await define(api, mutableProps=["name", apart])
    assert payload["type"]["mutableProps"] == ["name", composed]
    assert (await define(api, mutableProps=["name", composed]))["changed"] is False
    create = """
    mutation ($props: JSON!) {
      createEntity(input: {type: "Service", props: $props}) {
        problems { message } entity { id state { props } }
      }
    }
    """
    made = await api.ask(create, props={"slug": "a", "name": "A", apart: 1})
    entity = made["createEntity"]["entity"]
    assert entity["state"]["props"] == {"slug": "a", "name": "A", composed: 1}
    record = """
    mutation ($entity: ID!, $property: String!) {
      recordFact(input: {entity: $entity, property: $property, value: 2}) {
        problems { message } state { props }
      }
    }
    """
    fact = await api.ask(record, entity=entity["id"], property=apart)
    assert fact["recordFact"]["state"]["props"][composed] == 2


async def test_the_same_type_again_changes_nothing(api: Api, owner: asyncpg.Connection) -> None:
    await define(api)
    rows = await owner.fetchval("SELECT count(*) FROM outbox")
    for again in ({}, {"name": " SERVICE "}, {"ptype": "application"}, {"mutableProps": ["status"]}):
        payload = await define(api, **again)
        assert payload["problems"] == []
        assert (payload["changed"], payload["position"]) == (False, None)
        assert payload["type"]["name"] == "Service"
        assert payload["type"]["mutableProps"] == ["name", "status"]
    shipped = {"name": "envvar", "immutableProps": ["key"], "mutableProps": ["value"]}
    assert (await define(api, **shipped))["changed"] is False
    assert await owner.fetchval("SELECT count(*) FROM outbox") == rows


async def test_a_type_takes_more_properties_and_keeps_those_it_has(api: Api) -> None:
    await define(api)
    payload = await define(api, mutableProps=["owner", "status"])
    assert payload["changed"] is True
    assert int(payload["position"]) > 0
    assert payload["type"]["mutableProps"] == ["name", "status", "owner"]


async def test_a_part_of_a_type_is_no_contradiction_and_may_add_to_it(api: Api) -> None:
    await define(api)
    await define(api, name="Memo", immutableProps=None, mutableProps=["area"], isDocument=True)
    unsaid = {"immutableProps": None, "mutableProps": None}
    for name in ("Service", "Memo", "ADR", "EnvVar"):
        for part in ({}, {"mutableProps": ["status"]}):
            payload = await define(api, **{"name": name, **unsaid, **part})
            assert (payload["problems"], payload["changed"]) == ([], False)
    for name, never in (("Service", ["slug"]), ("Memo", ["identifier"])):
        payload = await define(api, **{"name": name, **unsaid, "mutableProps": ["colour"]})
        assert payload["changed"] is True
        assert (payload["type"]["immutableProps"], payload["type"]["mutableProps"][-1]) == (never, "colour")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"immutableProps": ["slug", "region"]}, "has slug as its immutable properties"),
        ({"immutableProps": [], "mutableProps": ["slug"]}, "has slug as its immutable properties"),
        ({"immutableProps": ["colour"], "mutableProps": []}, "has slug as its immutable properties"),
        ({"immutableProps": None, "isDocument": True}, "is not a document type"),
        ({"ptype": "infrastructure"}, "has the ptype application"),
        ({"name": "component", "immutableProps": []}, "belongs to every project and has no property"),
        ({"name": "adr", "immutableProps": [], "isDocument": False}, "is a document type"),
        ({"name": "adr", "immutableProps": []}, "belongs to every project and has no property"),
    ],
)
async def test_a_type_that_contradicts_the_one_of_its_name_is_a_conflict(
    api: Api, said: dict[str, Any], words: str
) -> None:
    await define(api)
    payload = await define(api, **{"mutableProps": ["name", "colour"], **said})
    (problem,) = payload["problems"]
    assert (problem["code"], problem["field"]) == ("CONFLICT", "name")
    assert words in problem["message"]
    assert payload["type"] is None
    assert (await define(api))["type"]["mutableProps"] == ["name", "status"]


@pytest.mark.parametrize(
    ("said", "field", "words"),
    [
        ({"name": " "}, "name", "1 to 64 printable"),
        ({"name": "T" * 65}, "name", "1 to 64 printable"),
        ({"name": "A\nB"}, "name", "printable"),
        ({"name": "A\ud800"}, "name", "printable"),
        ({"name": "A\0"}, "name", "printable"),
        ({"mutableProps": ["a\0"]}, "mutableProps", "printable"),
        ({"ptype": ""}, "ptype", "printable"),
        ({"mutableProps": ["p" * 129]}, "mutableProps", "1 to 128 printable"),
        ({"immutableProps": ["  "]}, "immutableProps", "printable"),
        ({"mutableProps": ["slug"]}, "mutableProps", "slug cannot be both immutable and mutable"),
        ({"mutableProps": [f"p{n}" for n in range(256)]}, "mutableProps", "at most 256"),
        ({"isDocument": True}, "immutableProps", "make slug mutable"),
        (
            {"immutableProps": [], "mutableProps": ["identifier"], "isDocument": True},
            "mutableProps",
            "identifier cannot be both",
        ),
        ({"project": " "}, "project", "a project key has"),
    ],
)
async def test_an_unfit_type_is_refused_by_name(
    api: Api, owner: asyncpg.Connection, said: dict[str, Any], field: str, words: str
) -> None:
    payload = await define(api, **said)
    (problem,) = payload["problems"]
    assert (problem["code"], problem["field"]) == ("INVALID", field)
    assert words in problem["message"]
    assert await owner.fetchval("SELECT count(*) FROM type WHERE project_id IS NOT NULL") == 0
    assert await owner.fetchval("SELECT count(*) FROM project") == 0


async def test_types_of_one_name_in_two_projects_keep_their_own_rules(
    api: Api, owner: asyncpg.Connection
) -> None:
    await define(api, name="Song", project="documents", immutableProps=None, isDocument=True)
    await define(api, name="Song", project="things")
    counted = """
        SELECT count(DISTINCT reference_type) FROM reference_rule JOIN type
            ON type.tenant_id = reference_rule.tenant_id AND type_id = source_type
        WHERE name = 'Song' AND is_document = $1
    """
    assert await owner.fetchval(counted, True) == 10
    assert await owner.fetchval(counted, False) == 3


@pytest.mark.parametrize("role", [Role.READER, Role.AGENT])
async def test_only_an_admin_or_the_person_at_this_machine_may_define(api: Api, role: Role) -> None:
    caller = replace(api.memory.caller, role=role)
    for one in (caller, replace(caller, role=Role.HUMAN, is_local=False)):
        refused = await define(Api(replace(api.memory, caller=one)))
        assert [problem["code"] for problem in refused["problems"]] == ["FORBIDDEN"]
    admin = Api(replace(api.memory, caller=replace(caller, role=Role.ADMIN, is_local=False)))
    assert (await define(admin))["problems"] == []


async def test_the_same_key_and_type_give_the_first_answer_again(api: Api) -> None:
    first = await define(api, idempotencyKey="one")
    again = await define(api, idempotencyKey="one")
    assert again == first
    other = await define(api, idempotencyKey="one", mutableProps=["name"])
    assert [problem["code"] for problem in other["problems"]] == ["CONFLICT"]
