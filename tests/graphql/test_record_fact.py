from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.documents import adr, day, file
from tests.graphql.api import Api
from tests.graphql.verbs import done, history, refused

NOBODY = "00000000-0000-0000-0000-000000000009"


@pytest.fixture
async def entity(api: Api) -> str:
    filed = await file(api.memory, adr(1, "Queue", created_at=day(2020)))
    return str(filed.entity.id)


async def props_at(api: Api, entity: str, **times: str) -> dict[str, Any] | None:
    query = """
    query ($id: ID!, $asOf: DateTime, $knownAt: DateTime) {
      stateAsOf(entity: $id, asOf: $asOf, knownAt: $knownAt) { props }
    }
    """
    state = (await api.ask(query, id=entity, **times))["stateAsOf"]
    return None if state is None else dict(state["props"])


async def test_a_fact_is_written_with_its_cause(api: Api, entity: str) -> None:
    cause = await file(api.memory, adr(2, "Listen", created_at=day(2021)))
    payload = await done(
        api,
        "recordFact",
        entity=entity,
        property="status",
        value="Rejected",
        validFrom="2021-02-03T04:05:06.789012+02:00",
        causeArtifact=str(cause.artifact.id),
        causeCommit="c0ffee",
        description=" after review ",
    )
    assert payload["state"]["validFrom"] == "2021-02-03T02:05:06.789012Z"
    assert payload["state"]["props"]["status"] == "Rejected"
    event = payload["event"]
    assert event["from"]["props"]["status"] == "Accepted"
    assert event["to"] == {"id": payload["state"]["id"]}
    expected = {
        "eventType": "fact",
        "at": payload["state"]["validFrom"],
        "properties": ["status"],
        "propsDrift": None,
        "description": "after review",
        "causeCommit": "c0ffee",
        "actor": "ada",
        "draft": None,
        "causeArtifact": {"identifier": "ADR-2"},
    }
    assert {name: event[name] for name in expected} == expected
    assert [state["props"]["title"] for state in await history(api, entity)] == ["Queue", "Queue"]


async def test_a_late_fact_changes_the_past_and_not_what_was_believed_then(api: Api, entity: str) -> None:
    """The table of docs/concepts.md, by the verbs."""
    before = (await history(api, entity))[0]["recordedAt"]
    late = {"entity": entity, "property": "status", "value": "Withdrawn", "validFrom": "2020-04-01T00:00:00Z"}
    await done(api, "recordFact", **late)
    april, march = "2020-04-15T00:00:00Z", "2020-03-20T00:00:00Z"

    async def status(**times: str) -> str | None:
        return ((await props_at(api, entity, **times)) or {}).get("status")

    assert await status() == "Withdrawn"
    assert await status(asOf=april) == "Withdrawn"
    assert await status(asOf=april, knownAt=before) == "Accepted"
    assert await status(asOf=march) == "Accepted"
    assert [state["props"]["status"] for state in await history(api, entity, before)] == ["Accepted"]


async def test_a_correction_is_told_as_one(api: Api, entity: str) -> None:
    said = {"entity": entity, "property": "tags", "validFrom": "2021-01-01T00:00:00Z"}
    await done(api, "recordFact", value=["a"], **said)
    payload = await done(api, "recordFact", value=["b"], **said)
    assert payload["event"]["eventType"] == "correction"
    assert payload["event"]["from"]["props"]["tags"] == ["a"]
    assert [state["previous"]["eventType"] for state in await history(api, entity)] == [
        "created",
        "correction",
    ]
    payload = await done(api, "recordFact", value=None, **said)
    assert "tags" not in payload["state"]["props"]


async def test_tim_17_a_fact_of_the_future_comes_true_without_a_write(api: Api, entity: str) -> None:
    ahead = (datetime.now(UTC) + timedelta(days=9)).isoformat()
    await done(api, "recordFact", entity=entity, property="status", value="Retired", validFrom=ahead)

    async def seen(as_of: str | None) -> tuple[str, str]:
        query = """
        query ($id: ID!, $asOf: DateTime) {
          entity(id: $id) { state(asOf: $asOf) { props } }
          recall(query: "ADR-1", asOf: $asOf) { hits { stateFlag } }
        }
        """
        found = await api.ask(query, id=entity, asOf=as_of)
        return found["entity"]["state"]["props"]["status"], found["recall"]["hits"][0]["stateFlag"]

    assert await seen(None) == ("Accepted", "CURRENT")
    assert await seen(ahead) == ("Retired", "HISTORICAL")


async def test_what_was_cut_is_not_touched(api: Api, entity: str) -> None:
    (first,) = await history(api, entity)
    await done(api, "recordFact", entity=entity, property="status", value="Rejected")
    earlier, later = await history(api, entity)
    assert earlier["id"] != first["id"]
    assert earlier["recordedAt"] > first["recordedAt"]
    assert earlier["touchedAt"] == first["touchedAt"] == first["recordedAt"]
    assert later["touchedAt"] == later["recordedAt"]
    said = {"entity": entity, "property": "summary", "value": "x", "validFrom": "2020-01-01T00:00:00Z"}
    await done(api, "recordFact", **said)
    assert all(state["touchedAt"] == state["recordedAt"] for state in await history(api, entity))


async def test_refusals_name_what_is_wrong_and_write_nothing(api: Api, entity: str) -> None:
    before = await history(api, entity)
    fact = {"entity": entity, "property": "status", "value": "x"}
    allowed = (
        "ADR has no property colour; its properties are title, status, date, author, tags, summary,"
        " identifier"
    )
    assert await refused(api, "recordFact", **fact | {"property": "colour"}) == (
        "INVALID",
        "property",
        allowed,
    )
    code, field, message = await refused(api, "recordFact", **fact | {"property": "identifier"})
    assert (code, field) == ("INVALID", "property")
    assert "identifier of ADR cannot change" in message
    assert (await refused(api, "recordFact", entity=entity, property="status"))[:2] == ("INVALID", "value")
    for absent in (NOBODY, "nonsense"):
        for name in ("entity", "causeArtifact"):
            problem = await refused(api, "recordFact", **fact | {name: absent})
            assert problem[:2] == ("NOT_FOUND", name)
    assert (await refused(api, "recordFact", **fact, expectedState=NOBODY))[:2] == (
        "CONFLICT",
        "expectedState",
    )
    assert (await refused(api, "recordFact", **fact, expectedState="x"))[:2] == ("NOT_FOUND", "expectedState")
    assert (await refused(api, "recordFact", **fact, causeCommit="c" * 257))[:2] == ("INVALID", "causeCommit")
    assert (await refused(api, "recordFact", **fact, description="d" * 4097))[:2] == (
        "INVALID",
        "description",
    )
    for end in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"):
        assert (await refused(api, "recordFact", **fact, validFrom=end))[:2] == ("INVALID", "validFrom")
    assert await history(api, entity) == before


async def test_tim_01_a_moment_without_an_offset_is_refused(api: Api, entity: str) -> None:
    operation = """
    mutation ($input: RecordFactInput!) { recordFact(input: $input) { position } }
    """
    fact = {"entity": entity, "property": "status", "value": "x"}
    for moment in ("2025-03-01T09:00", "2025-03-01T09:00:00"):
        error = await api.refused(operation, input=fact | {"validFrom": moment})
        assert error["extensions"]["code"] == "BAD_USER_INPUT"
    assert len(await history(api, entity)) == 1


async def test_tim_15_a_day_is_no_instant(api: Api, entity: str) -> None:
    """TIM-15: nor does a time of a clock in a zone name one, so that no offset has to be guessed."""
    query = "query ($id: ID!, $at: DateTime) { stateAsOf(entity: $id, asOf: $at) { id } }"
    for moment in ("2025-01-15", "2025-03-30T02:30:00", "2025-10-26T02:30:00[Europe/Berlin]"):
        error = await api.refused(query, id=entity, at=moment)
        assert error["extensions"]["code"] == "BAD_USER_INPUT"


async def test_a_key_gives_the_first_answer_again(api: Api, entity: str) -> None:
    fact = {"entity": entity, "property": "status", "value": "Rejected", "idempotencyKey": "once"}
    first = await done(api, "recordFact", **fact)
    await done(api, "recordFact", entity=entity, property="status", value="Accepted")
    assert await done(api, "recordFact", **fact) == first
    assert len(await history(api, entity)) == 3
    changed = fact | {"value": "Withdrawn"}
    assert (await refused(api, "recordFact", **changed))[:2] == ("CONFLICT", "idempotencyKey")


async def test_odd_characters_are_kept_or_replaced(api: Api, entity: str) -> None:
    fact = {"entity": entity, "property": "summary", "description": "a\ud800b"}
    payload = await done(api, "recordFact", value={"a\x00b": ["\ud800", "é"]}, **fact, idempotencyKey="odd")
    assert payload["state"]["props"]["summary"] == {"a\ufffdb": ["\ufffd", "é"]}
    assert payload["event"]["description"] == "a\ufffdb"
    code, field, message = await refused(api, "recordFact", entity=entity, property="\ud800\x00", value=1)
    assert (code, field) == ("INVALID", "property")
    assert message.startswith("ADR has no property \ufffd\ufffd;")
