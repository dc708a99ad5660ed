"""Taking names back over the API."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from tests.documents import ProjectFixture, adr, ask
from tests.graphql.api import Api
from tests.graphql.test_create_alias import create, resolved
from tests.things import make_thing

WITHDRAW = """
mutation ($input: WithdrawAliasInput!) {
  withdrawAlias(input: $input) {
    alias { id surfaceForm validFrom validUntil withdrawal { reason at actor } }
    candidate { id }
    position
    problems { __typename code message field }
  }
}
"""
NODE = "query ($id: ID!) { node(id: $id) { ... on Alias { validUntil withdrawal { reason actor } } } }"
AT = """
query ($form: String!, $project: String, $asOf: DateTime) {
  resolveAlias(surfaceForm: $form, project: $project, asOf: $asOf) { entity { id } }
}
"""


async def withdraw(api: Api, alias: str, **said: Any) -> dict[str, Any]:
    """Return what withdrawAlias gives."""
    data = await api.ask(WITHDRAW, input={"alias": alias, **said})
    payload: dict[str, Any] = data["withdrawAlias"]
    return payload


async def refused(api: Api, alias: str, **said: Any) -> dict[str, Any]:
    """Return the one problem of an alias that stays."""
    payload = await withdraw(api, alias, **said)
    assert (payload["alias"], payload["position"]) == (None, None)
    (problem,) = payload["problems"]
    return dict(problem)


async def test_a_name_means_its_entity_until_it_is_withdrawn(desk: ProjectFixture) -> None:
    api, prism = Api(desk.memory), await make_thing(desk, "Prism")
    written = (await create(api, "PrismGR", prism))["alias"]
    payload = await withdraw(api, written["id"], reason=" It was a typing error. ")
    assert payload["problems"] == []
    assert int(payload["position"]) > 0
    ended = payload["alias"]
    assert ended["validFrom"] == written["validFrom"] < ended["validUntil"]
    assert ended["withdrawal"] == {
        "reason": "It was a typing error.",
        "at": ended["validUntil"],
        "actor": "ada",
    }
    assert await resolved(desk, "PrismGR") is None
    for moment, meant in ((written["validFrom"], {"id": str(prism)}), (ended["validUntil"], None)):
        then = (await api.ask(AT, form="prismgr", project=desk.project, asOf=moment))["resolveAlias"]
        assert (then and then["entity"]) == meant
    for id in (written["id"], ended["id"]):
        node = (await api.ask(NODE, id=id))["node"]
        assert node["withdrawal"] == {"reason": "It was a typing error.", "actor": "ada"}


async def test_what_was_recalled_before_a_withdrawal_is_recalled_again(desk: ProjectFixture) -> None:
    api, prism = Api(desk.memory), await make_thing(desk, "Prism")
    written = (await create(api, "PrismGR", prism))["alias"]
    await desk.file(adr(1, "Install", "How to install PrismGR."))
    before = await desk.ask("PrismGR")
    await withdraw(api, written["id"])
    pinned = {"as_of": before.as_of, "known_at": before.known_at, "project": desk.project}
    again = await ask(desk.memory, "PrismGR", **pinned)
    assert [anchor.entity.id for anchor in again.anchors] == [prism]
    assert again.hits == before.hits
    assert (await desk.ask("PrismGR")).anchors == ()


async def test_a_withdrawal_needs_no_reason(desk: ProjectFixture) -> None:
    api, prism = Api(desk.memory), await make_thing(desk, "Prism")
    for form, reason in (("One prism", None), ("Two prisms", "  ")):
        written = (await create(api, form, prism))["alias"]
        payload = await withdraw(api, written["id"], reason=reason)
        assert payload["alias"]["withdrawal"]["reason"] is None
    written = (await create(api, "Three prisms", prism))["alias"]
    problem = await refused(api, written["id"], reason="x" * 2_001)
    assert (problem["code"], problem["field"]) == ("INVALID", "reason")


async def test_a_name_is_withdrawn_once(desk: ProjectFixture) -> None:
    api, prism = Api(desk.memory), await make_thing(desk, "Prism")
    written = (await create(api, "PrismGR", prism))["alias"]
    ended = (await withdraw(api, written["id"]))["alias"]
    for id in (written["id"], ended["id"]):
        problem = await refused(api, id)
        assert (problem["code"], problem["field"]) == ("CONFLICT", "alias")


async def test_of_many_who_withdraw_one_does(desk: ProjectFixture) -> None:
    api, prism = Api(desk.memory), await make_thing(desk, "Prism")
    written = (await create(api, "PrismGR", prism))["alias"]
    payloads = await asyncio.gather(*(withdraw(api, written["id"]) for _ in range(8)))
    assert len([payload for payload in payloads if payload["alias"]]) == 1
    problems = [problem for payload in payloads for problem in payload["problems"]]
    assert [problem["code"] for problem in problems] == ["CONFLICT"] * 7


@pytest.mark.parametrize("id", [pytest.param(str(uuid4()), id="new"), "no id", ""])
async def test_what_no_alias_has_is_not_found(desk: ProjectFixture, id: str) -> None:
    problem = await refused(Api(desk.memory), id)
    assert (problem["code"], problem["field"]) == ("NOT_FOUND", "alias")


async def test_a_withdrawn_name_is_free(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    prism, harbor = await make_thing(desk, "Prism"), await make_thing(desk, "Harbor")
    first = (await create(api, "Gate", prism))["alias"]
    await withdraw(api, first["id"])
    second = (await create(api, "gate", harbor))["alias"]
    assert await resolved(desk, "Gate") == (str(harbor), ["gate"])
    await withdraw(api, second["id"])
    assert (await create(api, "Gate", prism))["problems"] == []
    assert await resolved(desk, "Gate") == (str(prism), ["Gate"])


async def test_a_chain_is_cut_where_its_alias_is_withdrawn(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    first, second = await make_thing(desk, "Prism One"), await make_thing(desk, "Prism Two")
    await create(api, "PrismGR", first)
    link = (await create(api, "Prism One", second, source=str(first)))["alias"]
    assert await resolved(desk, "PrismGR") == (str(second), ["PrismGR", "Prism One"])
    await withdraw(api, link["id"])
    assert await resolved(desk, "PrismGR") == (str(first), ["PrismGR"])
    assert (await create(api, "Prism Two", first, source=str(second)))["problems"] == []


async def test_a_name_that_has_not_begun_never_did(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    tomorrow = datetime.now().astimezone() + timedelta(days=1)
    later = await make_thing(desk, "Later", tomorrow)
    written = (await create(api, "Afterwards", later))["alias"]
    assert datetime.fromisoformat(written["validFrom"]) == tomorrow
    assert await resolved(desk, "Afterwards") is None
    payload = await withdraw(api, written["id"], reason="It will not come.")
    assert payload["alias"]["id"] == written["id"]
    assert payload["alias"]["withdrawal"]["reason"] == "It will not come."
    then = await api.ask(AT, form="Afterwards", project=desk.project, asOf="2999-01-01T00:00:00Z")
    assert then["resolveAlias"] is None
    assert (await refused(api, written["id"]))["code"] == "CONFLICT"


async def test_a_name_that_a_document_lists_is_withdrawn_too(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    filed = await desk.file(adr(1, "Gate", props={"aliases": ["Old gate"]}))
    held = await api.ask("query ($id: ID!) { entity(id: $id) { aliases { id } } }", id=str(filed.entity.id))
    (alias,) = held["entity"]["aliases"]
    assert (await withdraw(api, alias["id"]))["problems"] == []
    assert await resolved(desk, "Old gate") is None
    assert not (await desk.file(adr(1, "Gate", props={"aliases": ["Old gate"]}))).created
    assert await resolved(desk, "Old gate") is None


async def test_the_same_key_gives_the_first_answer_again(desk: ProjectFixture) -> None:
    api, prism = Api(desk.memory), await make_thing(desk, "Prism")
    written = (await create(api, "PrismGR", prism))["alias"]
    key = {"idempotencyKey": f"withdrawal {desk.project}"}
    first = await withdraw(api, written["id"], **key)
    assert await withdraw(api, written["id"], **key) == first
    problem = await refused(api, written["id"], reason="Another.", **key)
    assert (problem["code"], problem["field"]) == ("CONFLICT", "idempotencyKey")


async def test_a_withdrawn_alias_ends_by_its_former_id_too(desk: ProjectFixture) -> None:
    api, prism = Api(desk.memory), await make_thing(desk, "Prism")
    former = (await create(api, "PrismGR", prism))["alias"]["id"]
    ended = (await withdraw(api, former))["alias"]
    assert ended["id"] != former
    assert (await api.ask(NODE, id=former))["node"]["validUntil"] == ended["validUntil"]
