from __future__ import annotations

from typing import Any

import pytest

from tests.documents import adr, day, file
from tests.graphql.api import Api
from tests.graphql.test_create_entity import create_with
from tests.graphql.verbs import done, history, refused


@pytest.fixture
async def entity(api: Api) -> str:
    filed = await file(api.memory, adr(1, "Queue", created_at=day(2020)))
    return str(filed.entity.id)


async def test_a_draft_is_saved_and_sealed(api: Api, entity: str) -> None:
    first = await done(api, "saveWip", entity=entity, props={"status": "Rejected"}, source="WORKING_TREE")
    assert first["state"]["branch"] == "WIP"
    assert first["state"]["wipSource"] == "WORKING_TREE"
    draft = (await done(api, "saveWip", entity=entity, props={"title": "Stream"}))["state"]
    assert draft["wipSource"] == "EXPLICIT"
    assert draft["touchedAt"] == draft["recordedAt"] == draft["validFrom"]
    sealed = await done(api, "sealWip", state=draft["id"], description="agreed")
    assert sealed["state"]["branch"] == "COMMITTED"
    assert sealed["state"]["props"] == {"identifier": "ADR-1", "title": "Stream", "status": "Rejected"}
    event = sealed["event"]
    assert (event["eventType"], event["propsDrift"], event["description"]) == ("wip_sealed", False, "agreed")
    assert event["draft"] == {"id": draft["id"]}
    assert event["from"]["props"]["title"] == "Queue"
    states = [
        (state["branch"], state["previous"]["eventType"], (state["next"] or {}).get("eventType"))
        for state in await history(api, entity)
    ]
    assert states == [
        ("COMMITTED", "created", "wip_sealed"),
        ("WIP", "wip_saved", "wip_saved"),
        ("WIP", "wip_saved", "wip_sealed"),
        ("COMMITTED", "wip_sealed", None),
    ]


async def test_drift_is_told_and_the_step_can_be_named(api: Api, entity: str) -> None:
    draft = (await done(api, "saveWip", entity=entity, props={"status": "Rejected"}))["state"]
    sealed = await done(
        api, "sealWip", state=draft["id"], props={"status": "Deprecated"}, eventType="status_transition"
    )
    assert (sealed["event"]["eventType"], sealed["event"]["propsDrift"]) == ("status_transition", True)
    assert sealed["state"]["props"]["status"] == "Deprecated"


async def test_a_draft_is_discarded(api: Api, entity: str) -> None:
    draft = (await done(api, "saveWip", entity=entity, props={"status": "Rejected"}))["state"]
    payload = await done(api, "discardWip", state=draft["id"], description="no")
    assert payload["state"]["validUntil"] == payload["event"]["at"]
    assert (payload["event"]["eventType"], payload["event"]["draft"]) == (
        "wip_discarded",
        {"id": draft["id"]},
    )
    steps = [(state["branch"], state["previous"]["eventType"]) for state in await history(api, entity)]
    assert steps == [("COMMITTED", "created"), ("WIP", "wip_saved")]
    (_, ended) = await history(api, entity)
    assert ended["next"] == {"eventType": "wip_discarded"}
    assert ended["touchedAt"] == draft["touchedAt"]


async def test_con_07_sealing_twice_is_a_conflict(api: Api, entity: str) -> None:
    draft = (await done(api, "saveWip", entity=entity, props={"status": "Rejected"}))["state"]
    await done(api, "sealWip", state=draft["id"])
    before = await history(api, entity)
    for verb in ("sealWip", "discardWip"):
        assert (await refused(api, verb, state=draft["id"]))[:2] == ("CONFLICT", "state")
    committed = before[-1]["id"]
    assert (await refused(api, "sealWip", state=committed))[:2] == ("INVALID", "state")
    assert (await refused(api, "sealWip", state="nonsense"))[:2] == ("NOT_FOUND", "state")
    assert (await refused(api, "sealWip", state=entity))[:2] == ("NOT_FOUND", "state")
    assert await history(api, entity) == before


async def test_con_06_a_draft_saved_from_a_stale_read_is_a_conflict(api: Api, entity: str) -> None:
    read = (await done(api, "saveWip", entity=entity, props={"status": "1"}))["state"]["id"]
    newer = (await done(api, "saveWip", entity=entity, props={"status": "2"}, expectedState=read))["state"][
        "id"
    ]
    code, field, message = await refused(
        api, "saveWip", entity=entity, props={"status": "3"}, expectedState=read
    )
    assert (code, field) == ("CONFLICT", "expectedState")
    assert newer in message
    later = await done(api, "saveWip", entity=entity, props={"title": "Stream"})
    assert (later["state"]["props"]["status"], later["state"]["props"]["title"]) == ("2", "Stream")


async def test_a_key_gives_the_first_answer_again(api: Api, entity: str) -> None:
    saving: dict[str, Any] = {"entity": entity, "props": {"status": "1"}, "idempotencyKey": "k"}
    saved = await done(api, "saveWip", **saving)
    assert await done(api, "saveWip", **saving) == saved
    sealing = {"state": saved["state"]["id"], "idempotencyKey": "k"}
    sealed = await done(api, "sealWip", **sealing)
    assert await done(api, "sealWip", **sealing) == sealed
    draft = (await done(api, "saveWip", entity=entity, props={}))["state"]
    discarding = {"state": draft["id"], "idempotencyKey": "k"}
    assert await done(api, "discardWip", **discarding) == await done(api, "discardWip", **discarding)
    assert len(await history(api, entity)) == 4


async def test_recall_shows_a_draft_where_it_is_preferred(api: Api, entity: str) -> None:
    query = """
    query ($wip: Boolean, $asOf: DateTime, $knownAt: DateTime) {
      recall(query: "ADR-1", preferWip: $wip, asOf: $asOf, knownAt: $knownAt) {
        hits { stateFlag stateSummary state { branch props wipSource } }
      }
    }
    """
    before = (await history(api, entity))[0]["recordedAt"]
    draft = (await done(api, "saveWip", entity=entity, props={"title": "Stream"}))["state"]

    async def seen(**asked: Any) -> tuple[str, str | None, str]:
        (hit,) = (await api.ask(query, **asked))["recall"]["hits"]
        return hit["stateFlag"], hit["stateSummary"], hit["state"]["props"]["title"]

    shown = ("WIP", "[wip: ADR-1 has a draft that is not sealed]", "Stream")
    assert await seen() == await seen(wip=True) == shown
    assert await seen(wip=False) == ("CURRENT", None, "Queue")
    assert await seen(knownAt=before) == await seen(asOf="2021-01-01T00:00:00Z") == ("CURRENT", None, "Queue")
    (hit,) = (await api.ask(query))["recall"]["hits"]
    assert hit["state"]["wipSource"] == "EXPLICIT"
    await done(api, "sealWip", state=draft["id"])
    assert await seen() == ("CURRENT", None, "Stream")
    assert await seen(asOf=draft["validFrom"]) == shown


async def test_a_draft_of_what_is_not_there_yet_is_sealed_once_it_is(api: Api) -> None:
    coming = await create_with(
        api, project="coming", props={"name": "Quay"}, validFrom="2999-01-01T00:00:00Z"
    )
    entity = coming["entity"]["id"]
    draft = (await done(api, "saveWip", entity=entity, props={"status": "planned"}))["state"]
    code, field, message = await refused(api, "sealWip", state=draft["id"])
    assert (code, field) == ("INVALID", "state")
    assert "begins on 2999-01-01T00:00:00Z" in message
    assert [state["branch"] for state in await history(api, entity)] == ["WIP", "COMMITTED"]


DRAFTS = """
query ($project: String, $first: Int = 20, $after: String) {
  drafts(project: $project, first: $first, after: $after) {
    totalCount
    nodes { id branch props touchedAt entity { id } }
    pageInfo { endCursor hasNextPage }
  }
}
"""


async def test_drafts_are_listed_until_they_end(api: Api, entity: str) -> None:
    other = str((await file(api.memory, adr(1, "Elsewhere"), "elsewhere")).entity.id)
    first = (await done(api, "saveWip", entity=entity, props={"status": "Rejected"}))["state"]
    second = (await done(api, "saveWip", entity=other, props={"status": "Deprecated"}))["state"]
    page = (await api.ask(DRAFTS, first=1))["drafts"]
    assert (page["totalCount"], page["pageInfo"]["hasNextPage"]) == (2, True)
    (longest,) = page["nodes"]
    assert (longest["id"], longest["branch"], longest["entity"]) == (first["id"], "WIP", {"id": entity})
    assert longest["props"]["status"] == "Rejected"
    rest = (await api.ask(DRAFTS, after=page["pageInfo"]["endCursor"]))["drafts"]
    assert [draft["id"] for draft in rest["nodes"]] == [second["id"]]
    await done(api, "saveWip", entity=entity, props={"title": "Stream"})
    listed = (await api.ask(DRAFTS))["drafts"]["nodes"]
    assert [draft["entity"]["id"] for draft in listed] == [other, entity]
    await done(api, "discardWip", state=second["id"])
    await done(api, "sealWip", state=listed[1]["id"])
    assert (await api.ask(DRAFTS))["drafts"]["nodes"] == []


async def test_drafts_are_those_of_a_project(api: Api, entity: str) -> None:
    await file(api.memory, adr(1, "Elsewhere"), "elsewhere")
    await done(api, "saveWip", entity=entity, props={})
    assert (await api.ask(DRAFTS, project="default"))["drafts"]["totalCount"] == 1
    assert (await api.ask(DRAFTS, project="elsewhere"))["drafts"]["totalCount"] == 0
    refusal = await api.refused(DRAFTS, project="nowhere")
    assert refusal["extensions"]["code"] == "NOT_FOUND"


async def test_a_draft_is_sealed_only_into_what_was_read(api: Api, entity: str) -> None:
    read = (await history(api, entity))[0]["id"]
    draft = (await done(api, "saveWip", entity=entity, props={"status": "Rejected"}))["state"]["id"]
    moved = (await done(api, "recordFact", entity=entity, property="status", value="Deprecated"))["state"]
    before = await history(api, entity)
    code, field, message = await refused(api, "sealWip", state=draft, expectedState=read)
    assert (code, field) == ("CONFLICT", "expectedState")
    assert moved["id"] in message
    assert await history(api, entity) == before
    sealed = await done(api, "sealWip", state=draft, expectedState=moved["id"])
    assert sealed["state"]["props"]["status"] == "Rejected"


STATES = """
query ($id: ID!, $asOf: DateTime) {
  stateAsOf(entity: $id, asOf: $asOf) { branch }
  inForce: stateAsOf(entity: $id, asOf: $asOf, preferWip: false) { branch props }
  entity(id: $id) { state(asOf: $asOf) { branch } }
}
"""


async def test_a_draft_hides_what_is_scheduled_unless_asked_otherwise(api: Api, entity: str) -> None:
    await done(api, "saveWip", entity=entity, props={"status": "Rejected"})
    scheduled = {"property": "status", "value": "Deprecated", "validFrom": "2999-01-01T00:00:00Z"}
    await done(api, "recordFact", entity=entity, **scheduled)
    found = await api.ask(STATES, id=entity, asOf="2999-06-01T00:00:00Z")
    assert found["stateAsOf"]["branch"] == "WIP"
    assert found["inForce"]["branch"] == found["entity"]["state"]["branch"] == "COMMITTED"
    assert found["inForce"]["props"]["status"] == "Deprecated"
