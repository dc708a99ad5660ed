"""Parting entities over the API."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from tests.documents import SUPERSEDES, ProjectFixture, adr, claims, day
from tests.graphql.api import Api
from tests.graphql.test_create_reference import about, create, status
from tests.things import make_thing

WITHDRAW = """
mutation ($input: WithdrawReferenceInput!) {
  withdrawReference(input: $input) {
    reference { id type validFrom validUntil withdrawal { reason at actor } }
    position
    problems { __typename code message field }
  }
}
"""
NODE = """
query ($id: ID!) { node(id: $id) { ... on Reference { validFrom validUntil withdrawal { at } } } }
"""
LIST = """
query ($source: ID!, $asOf: DateTime) { references(source: $source, asOf: $asOf) { nodes { id } } }
"""


async def withdraw(api: Api, reference: str, **said: Any) -> dict[str, Any]:
    """Return what withdrawReference gives."""
    data = await api.ask(WITHDRAW, input={"reference": reference, **said})
    payload: dict[str, Any] = data["withdrawReference"]
    return payload


async def refused(api: Api, reference: str, **said: Any) -> dict[str, Any]:
    """Return the one problem of a reference that stays."""
    payload = await withdraw(api, reference, **said)
    assert (payload["reference"], payload["position"]) == (None, None)
    (problem,) = payload["problems"]
    return dict(problem)


async def test_a_reference_holds_until_it_is_withdrawn(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    one, other = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    written = (await create(api, one, "DEPENDS_ON", other))["reference"]
    payload = await withdraw(api, written["id"], reason="It has a queue of its own now.")
    assert payload["problems"] == []
    assert int(payload["position"]) > 0
    ended = payload["reference"]
    assert ended["validFrom"] == written["validFrom"] < ended["validUntil"]
    assert ended["withdrawal"] == {
        "reason": "It has a queue of its own now.",
        "at": ended["validUntil"],
        "actor": "ada",
    }
    now = await about(desk, one)
    assert (now["references"], now["neighbors"]) == ({"nodes": [], "totalCount": 0}, [])
    then = await about(desk, one, datetime.fromisoformat(written["validFrom"]))
    assert [node["id"] for node in then["references"]["nodes"]] == [ended["id"]]
    for moment, ids in ((written["validFrom"], [{"id": ended["id"]}]), (None, [])):
        listed = await api.ask(LIST, source=str(one), asOf=moment)
        assert listed["references"]["nodes"] == ids


async def test_a_reference_is_withdrawn_once(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    one, other = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    written = (await create(api, one, "DEPENDS_ON", other))["reference"]
    payloads = await asyncio.gather(*(withdraw(api, written["id"]) for _ in range(4)))
    ended = [payload["reference"] for payload in payloads if payload["reference"]]
    assert len(ended) == 1
    for id in (written["id"], ended[0]["id"]):
        problem = await refused(api, id)
        assert (problem["code"], problem["field"]) == ("CONFLICT", "reference")
    again = await create(api, one, "DEPENDS_ON", other)
    assert again["reference"]["validFrom"] > ended[0]["validUntil"]


@pytest.mark.parametrize("id", [pytest.param(str(uuid4()), id="new"), "no id"])
async def test_what_no_reference_has_is_not_found(desk: ProjectFixture, id: str) -> None:
    problem = await refused(Api(desk.memory), id)
    assert (problem["code"], problem["field"]) == ("NOT_FOUND", "reference")


@pytest.mark.parametrize("said", [{}, {"status": "Active"}])
async def test_what_is_superseded_no_longer_is_what_it_was(
    desk: ProjectFixture, said: dict[str, Any]
) -> None:
    api = Api(desk.memory)
    old, new = await make_thing(desk, "Old queue", **said), await make_thing(desk, "New queue")
    written = (await create(api, new, "SUPERSEDES", old, validFrom="2022-01-01T00:00:00Z"))["reference"]
    ended = (await withdraw(api, written["id"]))["reference"]
    just_before = datetime.fromisoformat(ended["validUntil"]) - timedelta(microseconds=1)
    assert await status(desk, old, just_before) == "superseded"
    assert await status(desk, old) == said.get("status")
    assert (await about(desk, old))["supersededBy"] is None
    assert (await about(desk, old, just_before))["supersededBy"] == {"id": str(new)}


@pytest.mark.parametrize("word", [None, "Accepted"])
async def test_a_document_superseded_from_its_first_day_is_revived(
    desk: ProjectFixture, word: str | None
) -> None:
    api = Api(desk.memory)
    old = (await desk.file(adr(1, "Queue", status=word))).entity.id
    new = (await desk.file(adr(2, "Stream"))).entity.id
    written = (await create(api, new, "SUPERSEDES", old, validFrom=day(2020).isoformat()))["reference"]
    assert await status(desk, old, day(2020)) == "superseded"
    await withdraw(api, written["id"])
    assert await status(desk, old) == word


async def test_a_document_that_calls_itself_superseded_stays_so(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    old = (await desk.file(adr(1, "Queue", status="superseded"))).entity.id
    new = (await desk.file(adr(2, "Stream", created_at=day(2021)))).entity.id
    written = (await create(api, new, "SUPERSEDES", old, validFrom="2022-01-01T00:00:00Z"))["reference"]
    await withdraw(api, written["id"])
    assert await status(desk, old) == "superseded"


async def test_what_something_else_supersedes_stays_superseded(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    old = await make_thing(desk, "Old queue", status="Active")
    new, newer = await make_thing(desk, "New queue"), await make_thing(desk, "Newer queue")
    first = (await create(api, new, "SUPERSEDES", old, validFrom="2021-01-01T00:00:00Z"))["reference"]
    second = (await create(api, newer, "SUPERSEDES", old, validFrom="2022-01-01T00:00:00Z"))["reference"]
    await withdraw(api, first["id"])
    assert await status(desk, old) == "superseded"
    assert (await about(desk, old))["supersededBy"] == {"id": str(newer)}
    await withdraw(api, second["id"])
    assert await status(desk, old) == "Active"


async def test_a_supersession_that_has_not_begun_never_was(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    old, new = await make_thing(desk, "Old queue", status="Active"), await make_thing(desk, "New queue")
    written = (await create(api, new, "SUPERSEDES", old, validFrom="2999-01-01T00:00:00Z"))["reference"]
    assert await status(desk, old, day(2999, 2)) == "superseded"
    payload = await withdraw(api, written["id"], reason="Plans changed.")
    assert payload["reference"]["id"] == written["id"]
    assert payload["reference"]["withdrawal"]["reason"] == "Plans changed."
    assert await status(desk, old, day(2999, 2)) == "Active"
    assert (await about(desk, old, day(2999, 2)))["supersededBy"] is None


async def test_a_withdrawn_supersession_may_be_turned_round(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    one, two = await make_thing(desk, "One", status="Active"), await make_thing(desk, "Two", status="Active")
    written = (await create(api, one, "SUPERSEDES", two))["reference"]
    await withdraw(api, written["id"])
    assert (await create(api, two, "SUPERSEDES", one))["problems"] == []
    assert [await status(desk, entity) for entity in (one, two)] == ["superseded", "Active"]


async def test_a_supersession_that_a_document_states_is_withdrawn_too(desk: ProjectFixture) -> None:
    old = await desk.file(adr(1, "Queue"))
    new = await desk.file(adr(2, "Stream", created_at=day(2021), references=claims(SUPERSEDES, "ADR-1")))
    (stated,) = new.references
    await withdraw(Api(desk.memory), str(stated.id), reason="They live side by side.")
    assert await status(desk, old.entity.id) == "Accepted"
    assert await status(desk, old.entity.id, day(2022)) == "superseded"


async def test_the_same_key_gives_the_first_answer_again(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    one, other = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    written = (await create(api, one, "DEPENDS_ON", other))["reference"]
    key = {"idempotencyKey": f"parting {desk.project}"}
    first = await withdraw(api, written["id"], **key)
    assert await withdraw(api, written["id"], **key) == first


async def test_a_withdrawn_reference_ends_by_its_former_id_too(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    one, other = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    former = (await create(api, one, "DEPENDS_ON", other))["reference"]["id"]
    ended = (await withdraw(api, former))["reference"]
    assert ended["id"] != former
    for id in (former, ended["id"]):
        found = (await api.ask(NODE, id=id))["node"]
        assert found["validUntil"] == found["withdrawal"]["at"] == ended["validUntil"]


async def test_a_reference_withdrawn_before_it_began_never_held(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    one, other = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    future = "2999-01-01T00:00:00Z"
    coming = (await create(api, one, "DEPENDS_ON", other, validFrom=future))["reference"]["id"]
    ended = (await withdraw(api, coming))["reference"]
    found = (await api.ask(NODE, id=ended["id"]))["node"]
    assert found["validFrom"] == found["validUntil"] == ended["validUntil"] == future
