from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.domain.entity import Caller, Role
from app.services.container import Memory
from tests.documents import adr, day, file
from tests.graphql.api import Api
from tests.graphql.verbs import done, history, refused


@pytest.fixture
async def entity(api: Api) -> str:
    filed = await file(api.memory, adr(1, "Queue", created_at=day(2020)))
    return str(filed.entity.id)


async def test_several_properties_change_together(api: Api, entity: str) -> None:
    payload = await done(
        api,
        "transition",
        entity=entity,
        props={"status": "Superseded", "title": "Stream", "author": None, "identifier": "ADR-1"},
        eventType=" mode_change ",
        validFrom="2021-01-01T00:00:00Z",
    )
    assert payload["state"]["props"] == {"title": "Stream", "status": "Superseded", "identifier": "ADR-1"}
    assert payload["event"]["eventType"] == "mode_change"
    assert payload["event"]["properties"] == ["author", "status", "title"]
    assert payload["entity"] == {"id": entity, "label": "Stream"}


async def test_tim_11_changes_of_one_request_are_states_of_their_own(api: Api, entity: str) -> None:
    change = '(input: {entity: $id, props: {status: "%s"}, eventType: "fact"}) { state { validFrom } }'
    verbs = " ".join(f"m{number}: transition{change % number}" for number in (1, 2, 3))
    answers = await api.ask(f"mutation ($id: ID!) {{ {verbs} }}", id=entity)
    starts = [answer["state"]["validFrom"] for answer in answers.values()]
    states = await history(api, entity)
    assert [state["validFrom"] for state in states][1:] == starts
    assert starts == sorted(set(starts))
    assert [state["props"]["status"] for state in states] == ["Accepted", "1", "2", "3"]
    query = "query ($id: ID!, $at: DateTime) { stateAsOf(entity: $id, asOf: $at) { props } }"
    for number, start in enumerate(starts, start=1):
        found = await api.ask(query, id=entity, at=start)
        assert found["stateAsOf"]["props"]["status"] == str(number)


async def test_tim_05_a_state_saved_as_it_was_read_holds_at_the_same_instant(api: Api, entity: str) -> None:
    said: dict[str, Any] = {"entity": entity, "eventType": "status_transition"}
    at = "2026-01-11T00:00:00Z"
    await done(api, "transition", **said, props={"status": "Rejected"}, validFrom=at)
    _, read = await history(api, entity)
    await done(api, "transition", **said, props=read["props"], validFrom=read["validFrom"])
    first, again = await history(api, entity)
    same = ("validFrom", "validUntil", "props")
    assert [again[name] for name in same] == [read[name] for name in same]
    assert first["validUntil"] == again["validFrom"] == at


async def test_a_stale_expectation_writes_nothing_and_says_what_holds(api: Api, entity: str) -> None:
    said: dict[str, Any] = {"entity": entity, "eventType": "status_transition"}
    (first,) = await history(api, entity)
    payload = await done(api, "transition", **said, props={"status": "1"}, expectedState=first["id"])
    before = await history(api, entity)
    code, field, message = await refused(
        api, "transition", **said, props={"status": "2"}, expectedState=first["id"]
    )
    assert (code, field) == ("CONFLICT", "expectedState")
    assert payload["state"]["id"] in message
    assert await history(api, entity) == before
    await done(api, "transition", **said, props={"status": "2"}, expectedState=payload["state"]["id"])


async def test_refusals_name_the_field(api: Api, entity: str) -> None:
    before = await history(api, entity)
    unfit: tuple[object, ...] = ({}, [], "status")
    for props in unfit:
        given = {"entity": entity, "eventType": "x", "props": props}
        assert (await refused(api, "transition", **given))[:2] == ("INVALID", "props")
    for word in ("", "  ", "w" * 65):
        given = {"entity": entity, "eventType": word, "props": {"status": "x"}}
        assert (await refused(api, "transition", **given))[:2] == ("INVALID", "eventType")
    code, field, message = await refused(
        api, "transition", entity=entity, eventType="x", props={"status": "x", "colour": 1, "size": 2}
    )
    assert (code, field) == ("INVALID", "props")
    assert "ADR has no property colour, size; its properties are title" in message
    assert await history(api, entity) == before


async def test_a_reader_may_not_and_an_agent_may(api: Api, entity: str) -> None:
    said = {"entity": entity, "eventType": "status_transition", "props": {"status": "x"}}
    tenant = api.memory.caller.tenant
    reader = Api(_as(api, Caller(tenant, Role.READER, "eve")))
    assert (await refused(reader, "transition", **said))[0] == "FORBIDDEN"
    agent = Api(_as(api, Caller(tenant, Role.AGENT, "bot")))
    assert (await done(agent, "transition", **said))["event"]["actor"] == "bot"


def _as(api: Api, caller: Caller) -> Memory:
    return replace(api.memory, caller=caller)


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("created", "the event of another mutation"),
        ("wip_saved", "the event of another mutation"),
        ("wip_sealed", "the event of another mutation"),
        ("wip_discarded", "the event of another mutation"),
        ("two words", "give one word"),
        ("!", "give one word"),
        (" ", "give one word"),
    ],
)
async def test_what_happened_is_one_word_of_the_callers_own(
    api: Api, entity: str, word: str, why: str
) -> None:
    said = {"entity": entity, "props": {"status": "Final"}, "eventType": word}
    code, field, message = await refused(api, "transition", **said)
    assert (code, field) == ("INVALID", "eventType")
    assert why in message
    draft = (await done(api, "saveWip", entity=entity, props={"status": "Final"}))["state"]["id"]
    if word == "wip_sealed":
        await done(api, "sealWip", state=draft, eventType=word)
    else:
        assert (await refused(api, "sealWip", state=draft, eventType=word))[:2] == ("INVALID", "eventType")
    for own in ("vertagt", "v2.1-rc", "été"):
        await done(api, "transition", **{**said, "eventType": own})
