"""One moment per answer: asOf and knownAt reach every field below, and an operation sees one ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from graphql import (
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLObjectType,
    get_named_type,
    is_leaf_type,
    is_required_argument,
)

from app.graphql.schema import SCHEMA
from tests.documents import RELATES_TO, SUPERSEDES, ProjectFixture, adr, claims, day, file
from tests.graphql.api import Api

THEN = day(2022, 6)
LONG_AGO = "2025-01-01T00:00:00Z"
BEGINS = {
    "Entity": "createdAt",
    "Artifact": "createdAt",
    "EntityState": "validFrom",
    "Alias": "validFrom",
    "Reference": "validFrom",
    "Absence": "validFrom",
}
EVIDENCE = {"sourceArtifact", "causeArtifact", "next", "previous", "withdrawal", "source", "project", "type"}
"""What these lead to may begin later: a document states what was before it, an event ends a state."""


def fields_of(name: str) -> dict[str, GraphQLField]:
    """Return the fields of a type that need no argument."""
    found = SCHEMA._schema.type_map[name]
    assert isinstance(found, GraphQLObjectType | GraphQLInterfaceType)
    return {
        each: field
        for each, field in found.fields.items()
        if not any(is_required_argument(argument) for argument in field.args.values())
    }


def leaves(name: str) -> str:
    return " ".join(
        each for each, field in fields_of(name).items() if is_leaf_type(get_named_type(field.type))
    )


def edges(name: str) -> Iterator[tuple[str, str, str]]:
    """Yield each edge of a type: its name, what it leads to, and the selection around that."""
    for each, field in fields_of(name).items():
        of = get_named_type(field.type)
        if is_leaf_type(of) or each in EVIDENCE:
            continue
        nodes = fields_of(of.name).get("nodes")
        if nodes is None:
            yield each, of.name, each + " { __typename %s }"
        else:
            yield (
                each,
                get_named_type(nodes.type).name,
                each + "(first: 5) { totalCount nodes { __typename %s } }",
            )


def walks(name: str, steps: int) -> Iterator[str]:
    """Yield selections that follow every edge so many steps, each with all that is plain."""
    for _, to, around in edges(name):
        yield around % leaves(to)
        if steps > 1:
            for below in walks(to, steps - 1):
                yield around % below


def begun(answer: Any) -> Iterator[tuple[str, datetime]]:
    """Yield the kind and the beginning of everything in an answer."""
    if isinstance(answer, list):
        for each in answer:
            yield from begun(each)
    elif isinstance(answer, dict):
        kind = answer.get("__typename", "")
        if kind in BEGINS and BEGINS[kind] in answer:
            yield kind, datetime.fromisoformat(answer[BEGINS[kind]])
        for each in answer.values():
            yield from begun(each)


@pytest.fixture
async def past(desk: ProjectFixture) -> ProjectFixture:
    """A project most of whose things are newer than `THEN`."""
    for document in (
        adr(1, "Poll the queue", created_at=day(2020)),
        adr(2, "Clock", created_at=day(2021), references=claims(RELATES_TO, "ADR-1")),
        adr(1, "Ask the queue", created_at=day(2023), props={"aliases": ["Prism"]}),
        adr(3, "Listen", created_at=day(2024), references=claims(SUPERSEDES, "ADR-1")),
        adr(4, "Name it", created_at=day(2025), references=claims(RELATES_TO, "ADR-1", "ADR-2")),
    ):
        await file(desk.memory, document, desk.project)
    return desk


WALKS = sorted(set(walks("Entity", 2)))


async def test_every_edge_keeps_the_instant_of_the_field_above(past: ProjectFixture) -> None:
    assert len(WALKS) > 25
    api, kinds = Api(past.memory), set[str]()
    query = """query ($project: String, $then: DateTime) {
      entities(project: $project, asOf: $then, first: 5) { nodes { __typename createdAt %s } } }"""
    for walk in WALKS:
        answer = await api.ask(query % walk, project=past.project, then=THEN.isoformat())
        for kind, since in begun(answer):
            assert since <= THEN, (kind, since, walk)
            kinds.add(kind)
    assert kinds == {"Entity", "Artifact", "EntityState", "Reference"}


ABOUT = """
fragment About on Entity {
  label supersededBy { label } state { props }
  references { totalCount nodes { type source { label } target { label } validUntil } }
  neighbors { distance entity { label } } similar { entity { label } }
  aliases { surfaceForm target { label } canonical { label } validUntil withdrawal { at } }
  artifacts { totalCount nodes { title } } states { totalCount nodes { props } } absences { validFrom }
}
"""


async def about(api: Api, entity: object, **moment: Any) -> dict[str, Any]:
    """Return all of an entity below a field that names a moment."""
    query = (
        ABOUT
        + """query ($id: ID!, $asOf: DateTime, $knownAt: DateTime) {
      stateAsOf(entity: $id, asOf: $asOf, knownAt: $knownAt) { entity { ...About } } }"""
    )
    given = {name: at.isoformat() for name, at in moment.items()}
    found: dict[str, Any] = (await api.ask(query, id=str(entity), **given))["stateAsOf"]["entity"]
    return found


async def test_scalars_are_as_of_the_instant_of_the_field_above(past: ProjectFixture) -> None:
    api = Api(past.memory)
    entity = (await past.ask("ADR-1")).anchors[0].entity.id
    then = await about(api, entity, asOf=THEN)
    assert (then["label"], then["supersededBy"]) == ("Poll the queue", None)
    assert then["state"]["props"]["status"] == "Accepted"
    assert [each["source"]["label"] for each in then["references"]["nodes"]] == ["Clock"]
    assert [each["entity"]["label"] for each in then["neighbors"]] == ["Clock"]
    assert {each["entity"]["label"] for each in then["similar"]} == {"Clock"}
    assert [each["title"] for each in then["artifacts"]["nodes"]] == ["Poll the queue"]
    assert (then["artifacts"]["totalCount"], then["states"]["totalCount"], then["aliases"]) == (1, 1, [])
    now = await about(api, entity)
    assert (now["label"], now["supersededBy"]) == ("Ask the queue", {"label": "Listen"})
    assert now["artifacts"]["totalCount"] == 2


async def test_a_field_may_name_its_own_instant(past: ProjectFixture) -> None:
    query = """query ($project: String, $then: DateTime, $later: DateTime) {
      entities(project: $project, asOf: $then, first: 1) { nodes {
        label supersededBy(asOf: $later) { label createdAt }
        references(asOf: $later, direction: IN, type: SUPERSEDES) {
          nodes { source { label } target { label } } }
      } } }"""
    moments = {"then": "2020-06-01T00:00:00Z", "later": "2026-01-01T00:00:00Z"}
    data = await Api(past.memory).ask(query, project=past.project, **moments)
    (node,) = data["entities"]["nodes"]
    assert (node["label"], node["supersededBy"]["label"]) == ("Poll the queue", "Listen")
    (reference,) = node["references"]["nodes"]
    assert (reference["source"]["label"], reference["target"]["label"]) == ("Listen", "Ask the queue")


async def test_below_a_recall_all_is_as_of_its_moment(past: ProjectFixture) -> None:
    query = """query ($project: String, $then: DateTime) {
      recall(query: "ADR-1", project: $project, asOf: $then, first: 1) {
        hits { stateFlag entity { label supersededBy { label } references { totalCount } } }
        anchors { entity { label supersededBy { label } } } } }"""
    data = await Api(past.memory).ask(query, project=past.project, then=THEN.isoformat())
    (hit,), (anchor,) = data["recall"]["hits"], data["recall"]["anchors"]
    assert hit["stateFlag"] == "CURRENT"
    assert hit["entity"] == {"label": "Poll the queue", "supersededBy": None, "references": {"totalCount": 1}}
    assert anchor["entity"] == {"label": "Poll the queue", "supersededBy": None}


async def test_what_was_known_stays_what_it_was(past: ProjectFixture) -> None:
    """Below a knownAt everything is as it was answered then, whatever is recorded later."""
    api, memory = Api(past.memory), past.memory
    entity = (await past.ask("ADR-1")).anchors[0].entity.id
    at, known = day(2026), (await past.ask("ADR-1")).known_at
    answered = await about(api, entity, asOf=at)
    for document in (
        adr(1, "Leave the queue", created_at=day(2025, 6), status="Rejected"),
        adr(5, "Poll again", created_at=day(2025, 7), references=claims(SUPERSEDES, "ADR-1")),
        adr(4, "Name nothing", created_at=day(2025, 8)),
    ):
        await file(memory, document, past.project)
    other = (await past.ask("ADR-2")).anchors[0].entity.id
    for verb, given in (
        ("createAlias", {"target": str(entity), "surfaceForm": "Beacon"}),
        ("withdrawArtifact", {"entity": str(other), "validFrom": LONG_AGO}),
    ):
        kind = f"{verb[0].upper()}{verb[1:]}Input!"
        mutation = f"mutation ($input: {kind}) {{ {verb}(input: $input) {{ problems {{ message }} }} }}"
        assert (await api.ask(mutation, input=given))[verb]["problems"] == []
    assert await about(api, entity, asOf=at) != answered
    assert await about(api, entity, asOf=at, knownAt=known) == answered


async def test_an_operation_sees_one_ledger_whatever_is_filed_meanwhile(api: Api) -> None:
    ended, seen = asyncio.Event(), set[int]()

    async def write() -> None:
        for number in range(1, 61):
            relation = claims(RELATES_TO, f"ADR-{number - 1}")
            await file(api.memory, adr(number, f"Record {number}", references=relation))
        ended.set()

    writing = asyncio.create_task(write())
    while not ended.is_set():
        data = await api.ask(
            """{
              a: artifacts(first: 1) { totalCount nodes { title entity { label } } }
              b: entities(first: 0) { totalCount }
              c: references(first: 0) { totalCount }
              d: artifacts(first: 0) { totalCount } }"""
        )
        counts = {data[name]["totalCount"] for name in "abd"}
        assert len(counts) == 1, data
        assert data["c"]["totalCount"] == max(0, data["a"]["totalCount"] - 1)
        seen |= counts
    await writing
    assert len(seen) > 5
