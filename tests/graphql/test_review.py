from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from app.domain.entity import Role
from tests.graphql.api import Api
from tests.statements import counted

TOLD = """---
date: 2024-03-01
---
# ADR-7: Beacon

Beacon was formerly known as Lighthouse. The status is now Accepted. Its status changed to Final.
"""

QUEUES = """
query ($project: String, $status: CandidateStatus) {
  aliasCandidates(project: $project, status: $status) {
    totalCount
    nodes {
      id surfaceForm quote quoteStart quoteEnd status recordedAt reviewedBy reviewedAt reviewReason
      entity { id label } artifact { id identifier body }
    }
  }
  factCandidates(project: $project, status: $status) {
    totalCount
    nodes {
      id property value quote quoteStart quoteEnd status recordedAt reviewedBy reviewedAt reviewReason
      entity { id label } artifact { id identifier body }
    }
  }
}
"""
REVIEW_ALIAS = """
mutation ($input: ReviewCandidateInput!) {
  reviewAliasCandidate(input: $input) {
    position problems { __typename code message field }
    candidate { id status reviewedBy reviewedAt reviewReason }
    alias { id surfaceForm authorityTier validFrom target { id } sourceArtifact { id } }
  }
}
"""
REVIEW_FACT = """
mutation ($input: ReviewCandidateInput!) {
  reviewFactCandidate(input: $input) {
    position problems { __typename code message field }
    candidate { id status reviewedBy reviewedAt reviewReason }
    state {
      props validFrom
      previous { eventType actor description causeArtifact { id } }
    }
  }
}
"""
NOBODY = "00000000-0000-0000-0000-000000000001"


async def queues(api: Api, **asked: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    data = await api.ask(QUEUES, **asked)
    return data["aliasCandidates"], data["factCandidates"]


async def waiting(api: Api) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """File the record and answer its likely alias, and the two things that it says of its status."""
    payload = await api.file(TOLD)
    assert payload["candidates"] == 3
    aliases, facts = await queues(api)
    (alias,) = aliases["nodes"]
    by_value = {fact["value"]: fact for fact in facts["nodes"]}
    return alias, by_value["Accepted"], by_value["Final"]


async def review_alias(api: Api, candidate: str, status: str, **said: Any) -> dict[str, Any]:
    data = await api.ask(REVIEW_ALIAS, input={"candidate": candidate, "status": status, **said})
    return dict(data["reviewAliasCandidate"])


async def review_fact(api: Api, candidate: str, status: str, **said: Any) -> dict[str, Any]:
    data = await api.ask(REVIEW_FACT, input={"candidate": candidate, "status": status, **said})
    return dict(data["reviewFactCandidate"])


def problem(payload: dict[str, Any]) -> dict[str, Any]:
    (only,) = payload["problems"]
    return dict(only)


async def test_a_candidate_is_told_with_its_quote_and_place(api: Api) -> None:
    for candidate in await waiting(api):
        assert candidate["status"] == "PENDING"
        assert candidate["reviewedBy"] is candidate["reviewedAt"] is candidate["reviewReason"] is None
        assert candidate["entity"]["label"] == "Beacon"
        assert candidate["artifact"]["identifier"] == "ADR-7"
        start, quote = candidate["quoteStart"], candidate["quote"]
        assert candidate["artifact"]["body"][start : candidate["quoteEnd"]] == quote


async def test_queues_are_narrowed_by_project_and_status(api: Api) -> None:
    alias, _, _ = await waiting(api)
    await api.file(TOLD, project="other")
    await review_alias(api, alias["id"], "REJECTED")
    assert [each["totalCount"] for each in await queues(api)] == [2, 4]
    assert [each["totalCount"] for each in await queues(api, status="PENDING")] == [1, 4]
    assert [each["totalCount"] for each in await queues(api, status="REJECTED")] == [1, 0]
    assert [each["totalCount"] for each in await queues(api, project="OTHER")] == [1, 2]
    error = await api.refused('{ factCandidates(project: "nowhere") { totalCount } }')
    assert error["extensions"] == {"code": "NOT_FOUND", "field": "project"}


async def test_a_queue_is_read_page_by_page_from_the_oldest_on(api: Api) -> None:
    for number in range(5):
        await api.file(f"# ADR-{number}: Record\n\nThe status is now {number}.0.")
    query = """
    query ($after: String) {
      factCandidates(first: 2, after: $after) { nodes { value } pageInfo { hasNextPage endCursor } }
    }
    """
    seen: list[str] = []
    after = None
    for _ in range(3):
        facts = (await api.ask(query, after=after))["factCandidates"]
        seen += [fact["value"] for fact in facts["nodes"]]
        after = facts["pageInfo"]["endCursor"]
    assert seen == [f"{number}.0" for number in range(5)]
    assert facts["pageInfo"]["hasNextPage"] is False
    error = await api.refused(
        "query ($after: String) { aliasCandidates(after: $after) { totalCount } }", after=after
    )
    assert "belongs to a list of factCandidates" in error["message"]


async def test_a_long_queue_costs_no_more_statements_than_a_short_one(api: Api) -> None:
    for number in range(6):
        await api.file(f"# ADR-{number}: Record {number}\n\nThe status is now {number}.0.")
    query = """
    query ($first: Int) {
      factCandidates(first: $first) { nodes { value entity { label } artifact { identifier } } }
    }
    """
    lengths = []
    for first in (2, 6):
        async with counted(api.memory.database) as statements:
            found = await api.ask(query, first=first)
        assert len(found["factCandidates"]["nodes"]) == first
        lengths.append(len(statements))
    assert lengths[0] == lengths[1]


async def test_a_candidate_is_a_node(api: Api) -> None:
    alias, status, _ = await waiting(api)
    query = "query ($id: ID!) { node(id: $id) { __typename id ... on Candidate { quote } } }"
    for candidate, name in ((alias, "AliasCandidate"), (status, "FactCandidate")):
        found = (await api.ask(query, id=candidate["id"]))["node"]
        assert found == {"__typename": name, "id": candidate["id"], "quote": candidate["quote"]}


async def test_promoting_a_likely_alias_writes_it_on_the_reviewers_authority(api: Api) -> None:
    alias, _, _ = await waiting(api)
    reviewed = await review_alias(api, alias["id"], "PROMOTED", reason="We all called it that.")
    assert reviewed["problems"] == []
    assert reviewed["candidate"]["status"] == "PROMOTED"
    assert reviewed["candidate"]["reviewedBy"] == "ada"
    assert reviewed["candidate"]["reviewReason"] == "We all called it that."
    written = reviewed["alias"]
    assert written["surfaceForm"] == "Lighthouse"
    assert written["authorityTier"] == 1
    assert written["validFrom"] == "2024-03-01T00:00:00Z"
    assert written["target"]["id"] == alias["entity"]["id"]
    assert written["sourceArtifact"]["id"] == alias["artifact"]["id"]
    assert int(reviewed["position"]) > 0
    resolved = await api.ask('{ resolveAlias(surfaceForm: "LIGHTHOUSE") { entity { label } } }')
    assert resolved["resolveAlias"]["entity"]["label"] == "Beacon"


async def test_promoting_a_likely_fact_changes_the_state_from_its_documents_date_on(api: Api) -> None:
    _, status, _ = await waiting(api)
    reviewed = await review_fact(api, status["id"], "PROMOTED")
    assert reviewed["problems"] == []
    state = reviewed["state"]
    assert (state["props"]["status"], state["props"]["title"]) == ("Accepted", "Beacon")
    assert state["validFrom"] == "2024-03-01T00:00:00Z"
    event = state["previous"]
    assert event["causeArtifact"]["id"] == status["artifact"]["id"]
    assert event["actor"] == "ada"
    assert event["description"] == status["quote"]


async def test_rejecting_writes_nothing_but_the_decision(api: Api, owner: asyncpg.Connection) -> None:
    alias, status, _ = await waiting(api)
    before = await owner.fetchval("SELECT count(*) FROM outbox")
    for reviewed in (
        await review_alias(api, alias["id"], "REJECTED", reason=" \n"),
        await review_fact(api, status["id"], "REJECTED"),
    ):
        assert reviewed["problems"] == []
        assert reviewed["candidate"]["status"] == "REJECTED"
        assert reviewed["candidate"]["reviewReason"] is None
        assert reviewed["position"] is None
    assert await owner.fetchval("SELECT count(*) FROM outbox") == before
    assert await owner.fetchval("SELECT count(*) FROM alias") == 0


@pytest.mark.parametrize(("first", "second"), [("PROMOTED", "REJECTED"), ("REJECTED", "PROMOTED")])
async def test_a_candidate_is_reviewed_once(api: Api, first: str, second: str) -> None:
    alias, status, _ = await waiting(api)
    await review_alias(api, alias["id"], first)
    await review_fact(api, status["id"], first)
    for payload in (
        await review_alias(api, alias["id"], second),
        await review_fact(api, status["id"], second),
    ):
        refusal = problem(payload)
        assert (refusal["code"], refusal["field"]) == ("CONFLICT", "candidate")
        assert refusal["message"].startswith(f"ada {first.lower()} this candidate at 20")
        assert payload["candidate"] is None


async def test_what_cannot_be_promoted_waits_on(api: Api, owner: asyncpg.Connection) -> None:
    """A form that means something else, and a property that the type lacks."""
    alias, _, fact = await waiting(api)
    await api.file("---\naliases: [Lighthouse]\n---\n# ADR-8: Another\n\nText.")
    form = problem(await review_alias(api, alias["id"], "PROMOTED"))
    assert (form["code"], form["field"]) == ("CONFLICT", "candidate")
    assert "the candidate is still pending" in form["message"]
    assert "ADR Another" in form["message"]
    await owner.execute("UPDATE fact_candidate SET property = 'owner' WHERE id = $1", fact["id"])
    unknown = problem(await review_fact(api, fact["id"], "PROMOTED"))
    assert (unknown["code"], unknown["field"]) == ("INVALID", "candidate")
    assert "ADR has no property owner" in unknown["message"]
    assert await owner.fetchval("SELECT count(*) FROM alias_candidate WHERE status = 'PENDING'") == 1
    assert await owner.fetchval("SELECT count(*) FROM fact_candidate WHERE status = 'PENDING'") == 2
    rejected = await review_alias(api, alias["id"], "REJECTED")
    assert rejected["problems"] == []


@pytest.mark.parametrize("role", [Role.READER, Role.AGENT])
async def test_only_people_review(api: Api, role: Role) -> None:
    alias, status, _ = await waiting(api)
    other = Api(replace(api.memory, caller=replace(api.memory.caller, role=role)))
    assert (await queues(other))[0]["totalCount"] == 1
    for payload in (
        await review_alias(other, alias["id"], "REJECTED"),
        await review_fact(other, status["id"], "REJECTED"),
    ):
        assert problem(payload)["code"] == "FORBIDDEN"


async def test_a_mistaken_review_is_a_problem(api: Api) -> None:
    alias, status, _ = await waiting(api)
    pending = problem(await review_alias(api, alias["id"], "PENDING"))
    assert (pending["code"], pending["field"]) == ("INVALID", "status")
    long = problem(await review_fact(api, status["id"], "REJECTED", reason="r" * 2_001))
    assert (long["code"], long["field"]) == ("INVALID", "reason")
    for absent in (NOBODY, "nonsense", alias["id"]):
        refusal = problem(await review_fact(api, absent, "REJECTED"))
        assert (refusal["code"], refusal["field"]) == ("NOT_FOUND", "candidate")


async def test_the_same_key_and_decision_give_the_first_answer_again(api: Api) -> None:
    alias, status, _ = await waiting(api)
    for reviewing, candidate in ((review_alias, alias["id"]), (review_fact, status["id"])):
        first = await reviewing(api, candidate, "PROMOTED", idempotencyKey="once")
        assert first["problems"] == []
        assert await reviewing(api, candidate, "PROMOTED", idempotencyKey="once") == first
        refusal = problem(await reviewing(api, candidate, "REJECTED", idempotencyKey="once"))
        assert (refusal["code"], refusal["field"]) == ("CONFLICT", "idempotencyKey")


async def test_of_200_reviews_of_one_candidate_one_counts(api: Api, owner: asyncpg.Connection) -> None:
    alias, status, _ = await waiting(api)
    for reviewing, candidate in ((review_alias, alias["id"]), (review_fact, status["id"])):
        answers = await asyncio.gather(
            *(reviewing(api, candidate, ("PROMOTED", "REJECTED")[n % 2]) for n in range(200))
        )
        outcomes = Counter(each["problems"][0]["code"] if each["problems"] else "won" for each in answers)
        assert outcomes == {"won": 1, "CONFLICT": 199}
    decided = "SELECT count(*) FROM alias_candidate WHERE status <> 'PENDING' AND reviewed_by = 'ada'"
    assert await owner.fetchval(decided) == 1
    open_states = "SELECT count(*) FROM entity_state WHERE valid_until IS NULL AND retracted_at IS NULL"
    assert await owner.fetchval(open_states) == 1
