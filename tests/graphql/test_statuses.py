from __future__ import annotations

import pytest

from tests.documents import adr, day, file
from tests.graphql.api import Api
from tests.graphql.test_create_entity import create_with
from tests.graphql.verbs import done, history, refused

UNKNOWN = ["unknown status Sideways; the document gets no flag"]


@pytest.fixture
async def entity(api: Api) -> str:
    return str((await file(api.memory, adr(1, "Queue", created_at=day(2020)))).entity.id)


async def test_a_status_that_nobody_knows_is_kept_with_a_warning(api: Api, entity: str) -> None:
    said = {"entity": entity, "property": "status", "value": "Sideways", "idempotencyKey": "once"}
    first = await done(api, "recordFact", **said)
    assert (first["warnings"], first["state"]["props"]["status"]) == (UNKNOWN, "Sideways")
    assert await done(api, "recordFact", **said) == first
    titled = await done(api, "recordFact", entity=entity, property="title", value="Stream")
    assert titled["warnings"] == []
    known = await done(api, "recordFact", entity=entity, property="status", value="Withdrawn in May")
    assert known["warnings"] == []


async def test_a_draft_warns_when_it_is_saved_and_when_it_is_sealed(api: Api, entity: str) -> None:
    draft = await done(api, "saveWip", entity=entity, props={"status": "Sideways"})
    assert draft["warnings"] == UNKNOWN
    assert (await done(api, "sealWip", state=draft["state"]["id"]))["warnings"] == UNKNOWN


@pytest.mark.parametrize("status", [{"x": 1}, ["Accepted"], 3, "", " "])
async def test_a_status_of_a_document_is_a_text(api: Api, entity: str, status: object) -> None:
    for verb, said in (
        ("recordFact", {"property": "status", "value": status}),
        ("transition", {"props": {"status": status}, "eventType": "moved"}),
        ("saveWip", {"props": {"status": status}}),
    ):
        code, field, message = await refused(api, verb, entity=entity, **said)
        assert (code, field) == ("INVALID", "property" if verb == "recordFact" else "props")
        assert message == "the status of ADR is a string such as Accepted; null removes it"
    assert len(await history(api, entity)) == 1


async def test_the_status_of_a_thing_may_be_anything(api: Api) -> None:
    created = await create_with(api, props={"name": "Harbor", "status": "running"})
    thing = created["entity"]["id"]
    recorded = await done(api, "recordFact", entity=thing, property="status", value={"pods": 3})
    assert (recorded["warnings"], recorded["state"]["props"]["status"]) == ([], {"pods": 3})
