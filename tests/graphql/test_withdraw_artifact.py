"""Withdrawing documents over the API."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.documents import ProjectFixture, adr, day
from tests.graphql.api import Api

WITHDRAW = """
mutation ($input: WithdrawArtifactInput!) {
  withdrawArtifact(input: $input) {
    entity { id absences { validFrom validUntil source reason actor sourceCommit } }
    absence { validFrom validUntil source reason }
    position
    problems { __typename code message field }
  }
}
"""
LISTS = """
query ($project: String!, $asOf: DateTime) {
  entities(project: $project, asOf: $asOf) { totalCount nodes { id } }
}
"""


async def withdraw(api: Api, **said: Any) -> dict[str, Any]:
    payload: dict[str, Any] = (await api.ask(WITHDRAW, input=said))["withdrawArtifact"]
    return payload


async def test_a_document_is_listed_until_it_is_withdrawn(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    filed = await desk.file(adr(1, "Queue"))
    payload = await withdraw(
        api, artifact=str(filed.artifact.id), validFrom="2022-01-01T00:00:00Z", reason="Never built."
    )
    absence = {
        "validFrom": "2022-01-01T00:00:00Z",
        "validUntil": None,
        "source": "CALLER",
        "reason": "Never built.",
    }
    assert payload["problems"] == []
    assert int(payload["position"]) > 0
    assert payload["absence"] == absence
    (held,) = payload["entity"]["absences"]
    assert held == {**absence, "actor": "ada", "sourceCommit": None}
    for moment, ids in ((None, []), (day(2021).isoformat(), [{"id": str(filed.entity.id)}])):
        listed = (await api.ask(LISTS, project=desk.project, asOf=moment))["entities"]
        assert (listed["nodes"], listed["totalCount"]) == (ids, len(ids))


@pytest.mark.parametrize(
    ("said", "code", "field"),
    [
        ({}, "INVALID", "artifact"),
        ({"artifact": "x"}, "NOT_FOUND", "artifact"),
        ({"entity": str(uuid4())}, "NOT_FOUND", "entity"),
        ({"entity": "own", "validFrom": "1999-01-01T00:00:00Z"}, "INVALID", "validFrom"),
        ({"entity": "own", "reason": "x" * 2_001}, "INVALID", "reason"),
    ],
)
async def test_a_mistake_is_a_problem(
    desk: ProjectFixture, said: dict[str, str], code: str, field: str
) -> None:
    filed = await desk.file(adr(1, "Queue"))
    own = {name: str(filed.entity.id) if value == "own" else value for name, value in said.items()}
    payload = await withdraw(Api(desk.memory), **own)
    (problem,) = payload["problems"]
    assert (problem["code"], problem["field"]) == (code, field)
    assert (payload["entity"], payload["position"]) == (None, None)


async def test_a_document_is_withdrawn_once(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    filed = await desk.file(adr(1, "Queue"))
    first = await withdraw(api, entity=str(filed.entity.id), idempotencyKey="once")
    assert await withdraw(api, entity=str(filed.entity.id), idempotencyKey="once") == first
    (problem,) = (await withdraw(api, entity=str(filed.entity.id)))["problems"]
    assert problem["code"] == "CONFLICT"
