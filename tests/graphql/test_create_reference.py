"""Joining entities over the API."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.domain.entity import ReferenceType, Role
from app.domain.recall import StateFlag
from tests.documents import ProjectFixture, adr, claims, day, hit_of
from tests.graphql.api import Api
from tests.things import make_thing

CREATE = """
mutation ($input: CreateReferenceInput!) {
  createReference(input: $input) {
    reference {
      id type validFrom validUntil source { id } target { id } sourceArtifact { id } withdrawal { at }
    }
    position
    problems { __typename code message field }
  }
}
"""
ABOUT = """
query ($id: ID!, $asOf: DateTime) {
  entity(id: $id) {
    state(asOf: $asOf) { props }
    supersededBy(asOf: $asOf) { id }
    references(asOf: $asOf) { nodes { id type source { id } target { id } } totalCount }
    neighbors(depth: 2, asOf: $asOf) { entity { id } distance path { id } }
  }
}
"""


async def create(api: Api, source: UUID, type: str, target: UUID, **said: Any) -> dict[str, Any]:
    """Return what createReference gives."""
    ends = {"source": str(source), "target": str(target)}
    data = await api.ask(CREATE, input={"type": type, **ends, **said})
    payload: dict[str, Any] = data["createReference"]
    return payload


async def refused(api: Api, source: UUID, type: str, target: UUID, **said: Any) -> dict[str, Any]:
    """Return the one problem of a reference that is not written."""
    payload = await create(api, source, type, target, **said)
    assert (payload["reference"], payload["position"]) == (None, None)
    (problem,) = payload["problems"]
    return dict(problem)


async def about(desk: ProjectFixture, entity: UUID, at: datetime | None = None) -> dict[str, Any]:
    """Return how an entity stands at an instant, and what it is joined to."""
    moment = None if at is None else at.isoformat()
    data = await Api(desk.memory).ask(ABOUT, id=str(entity), asOf=moment)
    return dict(data["entity"])


async def status(desk: ProjectFixture, entity: UUID, at: datetime | None = None) -> Any:
    """Return the status of an entity at an instant."""
    return (await about(desk, entity, at))["state"]["props"].get("status")


async def test_one_thing_refers_to_another_from_now_on(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    service, queue = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    payload = await create(api, service, "DEPENDS_ON", queue)
    assert payload["problems"] == []
    assert int(payload["position"]) > 0
    reference = payload["reference"]
    assert (reference["type"], reference["validUntil"]) == ("DEPENDS_ON", None)
    assert (reference["source"], reference["target"]) == ({"id": str(service)}, {"id": str(queue)})
    assert reference["sourceArtifact"] is reference["withdrawal"] is None
    for one, other in ((service, queue), (queue, service)):
        found = await about(desk, one)
        assert [node["id"] for node in found["references"]["nodes"]] == [reference["id"]]
        assert found["neighbors"] == [
            {"entity": {"id": str(other)}, "distance": 1, "path": [{"id": reference["id"]}]}
        ]
        before = await about(desk, one, datetime.fromisoformat(reference["validFrom"]) - timedelta(seconds=1))
        assert (before["references"]["nodes"], before["neighbors"]) == ([], [])


async def test_the_same_reference_again_changes_nothing(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    service, queue = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    first = await create(api, service, "DEPENDS_ON", queue, validFrom="2021-01-01T00:00:00Z")
    for moment in (None, "2021-01-01T00:00:00Z", "2022-01-01T00:00:00Z"):
        again = await create(api, service, "DEPENDS_ON", queue, validFrom=moment)
        assert again["reference"] == first["reference"]
        assert (again["position"], again["problems"]) == (None, [])
    other = await create(api, service, "RELATES_TO", queue)
    back = await create(api, queue, "DEPENDS_ON", service)
    assert len({first["reference"]["id"], other["reference"]["id"], back["reference"]["id"]}) == 3
    assert (await about(desk, queue))["references"]["totalCount"] == 3


async def test_a_reference_dated_back_further_is_one_with_the_later(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    service, queue = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    await create(api, service, "DEPENDS_ON", queue, validFrom="2023-01-01T00:00:00Z")
    earlier = (await create(api, service, "DEPENDS_ON", queue, validFrom="2021-01-01T00:00:00Z"))["reference"]
    assert (earlier["validFrom"], earlier["validUntil"]) == ("2021-01-01T00:00:00Z", None)
    for at in (day(2022), day(2024)):
        nodes = (await about(desk, service, at))["references"]["nodes"]
        assert [node["id"] for node in nodes] == [earlier["id"]]
    assert (await about(desk, service, day(2020, 6)))["references"]["nodes"] == []


async def test_what_a_document_states_stays_its_own_where_a_caller_dates_it_back(
    desk: ProjectFixture,
) -> None:
    old = await desk.file(adr(1, "Queue"))
    stated = claims(ReferenceType.DEPENDS_ON, "ADR-1")
    new = await desk.file(adr(2, "Stream", references=stated, created_at=day(2023)))
    later = await desk.file(adr(2, "Stream of old", created_at=day(2024)))
    assert later.references == ()
    ends = (new.entity.id, "DEPENDS_ON", old.entity.id)
    written = (await create(Api(desk.memory), *ends, validFrom="2023-06-01T00:00:00Z"))["reference"]
    assert (written["validFrom"], written["validUntil"]) == ("2024-01-01T00:00:00Z", None)


async def test_a_reference_may_hold_from_a_later_day_on(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    service, queue = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    await create(api, service, "DEPENDS_ON", queue, validFrom="2999-01-01T00:00:00+01:00")
    assert (await about(desk, service))["references"]["totalCount"] == 0
    assert (await about(desk, service, day(2999)))["references"]["totalCount"] == 1


async def test_nothing_refers_to_itself(desk: ProjectFixture) -> None:
    """EDG-07."""
    api, record = Api(desk.memory), (await desk.file(adr(1, "Queue"))).entity.id
    for type in ("SUPERSEDES", "RELATES_TO"):
        problem = await refused(api, record, type, record)
        assert (problem["code"], problem["field"]) == ("INVALID", "target")
    assert await status(desk, record) == "Accepted"


async def test_a_reference_that_no_rule_allows_is_refused_with_those_that_are(desk: ProjectFixture) -> None:
    api, thing = Api(desk.memory), await make_thing(desk, "Service")
    record = (await desk.file(adr(1, "Queue"))).entity.id
    problem = await refused(api, thing, "SUPERSEDES", record)
    assert (problem["code"], problem["field"]) == ("INVALID", "type")
    assert problem["message"] == (
        "no rule allows SUPERSEDES from Component to ADR; allowed: IMPLEMENTS, REFERENCES, RELATES_TO"
    )


@pytest.mark.parametrize("field", ["source", "target", "sourceArtifact"])
@pytest.mark.parametrize("id", [pytest.param(str(uuid4()), id="new"), "no id"])
async def test_what_is_not_there_is_told_by_its_field(desk: ProjectFixture, field: str, id: str) -> None:
    """EDG-07: what supersedes nothing that is there is no success."""
    one, other = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    said = {"source": str(one), "target": str(other), "type": "SUPERSEDES", field: id}
    (problem,) = (await Api(desk.memory).ask(CREATE, input=said))["createReference"]["problems"]
    assert (problem["code"], problem["field"]) == ("NOT_FOUND", field)


async def test_a_reference_holds_once_both_ends_are_there(desk: ProjectFixture) -> None:
    api, old = Api(desk.memory), await make_thing(desk, "Old")
    tomorrow = datetime.now().astimezone() + timedelta(days=1)
    coming = await make_thing(desk, "Coming", tomorrow)
    for said in ({}, {"validFrom": "2021-01-01T00:00:00Z"}):
        for source, target, named in ((old, coming, "target"), (coming, old, "source")):
            problem = await refused(api, source, "RELATES_TO", target, **said)
            assert (problem["code"], problem["field"]) == ("INVALID", "validFrom")
            assert f"the {named} begins on" in problem["message"]
    assert (await create(api, old, "RELATES_TO", coming, validFrom=tomorrow.isoformat()))["problems"] == []


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
async def test_the_ends_of_the_calendar_are_refused(desk: ProjectFixture, moment: str) -> None:
    one, other = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    problem = await refused(Api(desk.memory), one, "RELATES_TO", other, validFrom=moment)
    assert (problem["code"], problem["field"]) == ("INVALID", "validFrom")


async def test_a_supersession_moves_the_state_of_what_gave_way(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    old, new = await make_thing(desk, "Old queue", status="Active"), await make_thing(desk, "New queue")
    payload = await create(api, new, "SUPERSEDES", old, validFrom="2022-01-01T00:00:00Z")
    assert payload["problems"] == []
    assert [await status(desk, old, at) for at in (day(2021), day(2022), None)] == [
        "Active",
        "superseded",
        "superseded",
    ]
    assert (await about(desk, old))["supersededBy"] == {"id": str(new)}
    assert (await about(desk, old, day(2021)))["supersededBy"] is None


async def test_an_agent_supersedes_too(desk: ProjectFixture) -> None:
    caller = replace(desk.memory.caller, role=Role.AGENT, principal="bot")
    old, new = await make_thing(desk, "Old queue", status="Active"), await make_thing(desk, "New queue")
    await create(Api(replace(desk.memory, caller=caller)), new, "SUPERSEDES", old)
    assert await status(desk, old) == "superseded"
    reader = replace(desk.memory, caller=replace(caller, role=Role.READER))
    assert (await refused(Api(reader), new, "RELATES_TO", old))["code"] == "FORBIDDEN"


async def test_a_supersession_reaches_what_is_said_of_later_days(desk: ProjectFixture) -> None:
    """A title of March says nothing of the status of February."""
    old = (await desk.file(adr(1, "Queue"))).entity.id
    await desk.file(adr(1, "Line", "Another title.", created_at=day(2023)))
    new = (await desk.file(adr(2, "Stream", created_at=day(2021)))).entity.id
    await create(Api(desk.memory), new, "SUPERSEDES", old, validFrom="2022-01-01T00:00:00Z")
    assert [await status(desk, old, at) for at in (day(2021), day(2022), day(2024))] == [
        "Accepted",
        "superseded",
        "superseded",
    ]


async def test_a_superseded_document_is_historical_in_recall(desk: ProjectFixture) -> None:
    old = await desk.file(adr(1, "Workers poll the queue"))
    new = await desk.file(adr(2, "Workers listen to the queue", created_at=day(2021)))
    await create(
        Api(desk.memory), new.entity.id, "SUPERSEDES", old.entity.id, validFrom="2022-01-01T00:00:00Z"
    )
    then = await desk.ask("what do workers do with the queue", as_of=day(2021, 6))
    assert hit_of(then, "ADR-1").annotation.flag is StateFlag.CURRENT
    result = await desk.ask("what do workers do with the queue")
    assert hit_of(result, "ADR-1").annotation.flag is StateFlag.HISTORICAL
    assert hit_of(result, "ADR-1").annotation.superseded_by == new.entity.id
    assert hit_of(result, "ADR-2").rank < hit_of(result, "ADR-1").rank


async def test_supersessions_close_no_circle(desk: ProjectFixture) -> None:
    """EDG-06: refused before anything is written, and one stays current."""
    api = Api(desk.memory)
    one, two, three = [(await desk.file(adr(number, f"Queue {number}"))).entity.id for number in (1, 2, 3)]
    await create(api, one, "SUPERSEDES", two)
    await create(api, two, "SUPERSEDES", three)
    for source, target in ((two, one), (three, one), (three, two)):
        for moment in (None, "2021-01-01T00:00:00Z", "2999-01-01T00:00:00Z"):
            problem = await refused(api, source, "SUPERSEDES", target, validFrom=moment)
            assert (problem["code"], problem["field"]) == ("INVALID", "target")
            assert "one of the two must stay current" in problem["message"]
    assert [await status(desk, entity) for entity in (one, two, three)] == [
        "Accepted",
        "superseded",
        "superseded",
    ]


async def test_of_two_that_supersede_each_other_at_once_one_stays_current(desk: ProjectFixture) -> None:
    """EDG-06."""
    api = Api(desk.memory)
    one, two = [(await desk.file(adr(number, f"Queue {number}"))).entity.id for number in (1, 2)]
    payloads = await asyncio.gather(create(api, one, "SUPERSEDES", two), create(api, two, "SUPERSEDES", one))
    assert sorted(bool(payload["reference"]) for payload in payloads) == [False, True]
    assert {await status(desk, one), await status(desk, two)} == {"Accepted", "superseded"}


async def test_of_many_at_once_one_writes_the_reference(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    one, other = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    payloads = await asyncio.gather(*(create(api, one, "RELATES_TO", other) for _ in range(8)))
    assert len({payload["reference"]["id"] for payload in payloads}) == 1
    assert len([payload for payload in payloads if payload["position"]]) == 1


async def test_a_reference_names_the_document_that_states_it(desk: ProjectFixture) -> None:
    filed = await desk.file(adr(1, "Queue"))
    thing = await make_thing(desk, "Service")
    artifact = str(filed.artifact.id)
    payload = await create(Api(desk.memory), filed.entity.id, "DOCUMENTS", thing, sourceArtifact=artifact)
    assert payload["reference"]["sourceArtifact"] == {"id": artifact}


async def test_things_of_two_projects_may_be_joined(desk: ProjectFixture) -> None:
    other = ProjectFixture(desk.memory, f"{desk.project}-other")
    here, there = await make_thing(desk, "Service"), await make_thing(other, "Queue")
    payload = await create(Api(desk.memory), here, "DEPENDS_ON", there)
    assert payload["problems"] == []
    listed = "query ($project: String) { references(project: $project) { nodes { id } } }"
    for project, ids in ((desk.project, [{"id": payload["reference"]["id"]}]), (other.project, [])):
        assert (await Api(desk.memory).ask(listed, project=project))["references"]["nodes"] == ids
    assert (await about(desk, there))["references"]["totalCount"] == 1


async def test_the_same_key_gives_the_first_answer_again(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    one, other = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    key = {"idempotencyKey": f"edge {desk.project}"}
    first = await create(api, one, "RELATES_TO", other, **key)
    assert await create(api, one, "RELATES_TO", other, **key) == first
    problem = await refused(api, other, "RELATES_TO", one, **key)
    assert (problem["code"], problem["field"]) == ("CONFLICT", "idempotencyKey")
