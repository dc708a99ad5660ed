"""Random Markdown through fileArtifact: always an answer, the same for the same, found by its rarest word.

TRIGRAPH_RANDOM_MARKDOWN=20 tries twenty times as many documents as usual, other ones in each run.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from uuid import uuid4

import asyncpg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.domain.numbers import TenantNumber
from app.embedding import Embedder
from app.services.container import Memory
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant
from tests.conftest import TEMPLATE, Server, memory_on
from tests.graphql.api_client import ApiClient, Payload, Question, clerk_of
from tests.graphql.normalized import normalized
from tests.graphql.random_filings import Filing, arguments, filings
from tests.graphql.rarest import Rarest, rarest_words
from tests.graphql.scattering import ScatteringEmbedder

MAX_BATCH_ROWS = 6
BATCHES = 200
CALLS = 400
CROWD = 40

LONGER = int(os.environ.get("TRIGRAPH_RANDOM_MARKDOWN", "0"))
_NUMBERS = count(1)


def tried(examples: int) -> settings:
    """Return how a property is tried: always the same way, unless a longer run is asked for."""
    return settings(
        max_examples=examples * max(1, LONGER),
        derandomize=not LONGER,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@dataclass(frozen=True, slots=True)
class Offices:
    """Clerks of two tenants in one ledger."""

    here: ApiClient
    there: ApiClient


@pytest.fixture(scope="module")
async def offices(server: Server, embedder: Embedder, tenant: TenantNumber) -> AsyncIterator[Offices]:
    """Two tenants in a ledger whose vectors cost nothing."""
    name = await server.create(TEMPLATE)
    owner = await asyncpg.connect(server.url_of(name))
    another = await ensure_tenant(owner, "another")
    await owner.close()
    database = await Database.open(server.url_of(name), size=10)
    here = memory_on(database, ScatteringEmbedder(embedder), tenant)
    there = replace(here, caller=replace(here.caller, tenant=another))
    async with AsyncExitStack() as stack:
        yield Offices(*[await stack.enter_async_context(clerk_of(memory)) for memory in (here, there)])
    await database.close()
    await server.drop(name)


batches = st.lists(
    filings(), min_size=1, max_size=MAX_BATCH_ROWS, unique_by=lambda filing: str(filing["body"])
)


@tried(BATCHES)
@given(batch=batches)
@example(batch=[{"kind": "ADR", "body": "---\nid: ADR-1\nrequires: ➊\n---\nA digit that is no number."}])
async def test_any_document_is_filed_and_told_alike_and_found(offices: Offices, batch: list[Filing]) -> None:
    project = f"project-{next(_NUMBERS)}"
    inputs = [{**filing, "project": project} for filing in batch]
    here, there = await asyncio.gather(_filed_again(offices.here, inputs), offices.there.file(*inputs))
    assert normalized(here) == normalized(there)
    if any(payload["created"] for payload in here):
        assert await offices.here.contents(project) == await offices.there.contents(project)
        await _found_by_their_rarest_words(offices.here, project, here)


async def _filed_again(clerk: ApiClient, inputs: list[Filing]) -> list[Payload]:
    """File each document under a key, at once again without it, and all once more under their keys."""
    keyed = [{**given, "idempotencyKey": f"key {uuid4()}"} for given in inputs]
    each_twice = [said for pair in zip(keyed, inputs, strict=True) for said in pair]
    answers = await clerk.file(*each_twice)
    first, again = answers[::2], answers[1::2]
    for one, other in zip(first, again, strict=True):
        assert_answered(one)
        assert other == (one if one["problems"] else _unchanged(one))
    assert await clerk.file(*keyed) == first
    return first


def assert_answered(payload: Payload) -> None:
    """Check that an answer is a document, or problems that each say what they are about."""
    if payload["problems"]:
        assert payload["artifact"] is None
        for problem in payload["problems"]:
            assert problem["code"] in ("INVALID", "CONFLICT")
            assert problem["field"]
            assert problem["message"].strip()
    else:
        assert payload["artifact"]["passages"]
        assert payload["artifact"]["title"].strip()


def _unchanged(payload: Payload) -> Payload:
    """Return what filing the same again says: the same things, and that none of them is new."""
    return {**payload, "created": False, "candidates": 0, "warnings": [], "references": []}


async def _found_by_their_rarest_words(clerk: ApiClient, project: str, payloads: list[Payload]) -> None:
    artifacts = [payload["artifact"] for payload in payloads if payload["artifact"] and payload["created"]]
    sought = _sought(artifacts)
    results = await clerk.recall(project, *(_question(artifact, rarest) for artifact, rarest in sought))
    for (artifact, rarest), result in zip(sought, results, strict=True):
        assert_found(artifact, rarest, result)


def _sought(artifacts: list[Payload]) -> list[tuple[Payload, Rarest]]:
    """Return the artifacts that hold a word, and the rarest of each."""
    words = zip(artifacts, rarest_words(artifacts), strict=True)
    return [(artifact, rarest) for artifact, rarest in words if rarest is not None]


def _question(artifact: Payload, rarest: Rarest) -> Question:
    starts = artifact["createdAt"]
    is_to_come = starts is not None and datetime.fromisoformat(starts) > datetime.now(UTC)
    return Question(rarest.word, starts if is_to_come else None)


def _hits_of(artifact: Payload, result: Payload) -> list[Payload]:
    """Return the hits with a text: one without a date has another artifact where it begins earlier."""
    return [hit for hit in result["hits"] if hit["artifact"]["contentHash"] == artifact["contentHash"]]


def assert_found(artifact: Payload, rarest: Rarest, result: Payload) -> None:
    """Check that the words of a document led to it, and before all others when no other has that word."""
    assert [leg["problem"] for leg in result["legs"]] == [None] * len(result["legs"])
    hits = _hits_of(artifact, result)
    assert hits, f"{rarest.word!r} does not find {artifact['title']!r}"
    (hit,) = hits
    assert "LEXICAL" in [share["leg"] for share in hit["explanation"]], rarest.word
    if rarest.documents == 1 and not result["anchors"] and hit["stateFlag"] != "HISTORICAL":
        assert hit["rank"] == 1, f"{rarest.word!r} finds something else before {artifact['title']!r}"


@tried(CALLS)
@given(said=arguments())
async def test_any_argument_gives_a_document_or_a_problem_that_names_it(
    offices: Offices, said: Filing
) -> None:
    said = {"project": f"project-{next(_NUMBERS)}", **said}
    first, again = [await offices.here.file_or_refuse(said) for _ in range(2)]
    if "errors" in first:
        assert {error["extensions"]["code"] for error in first["errors"]} == {"BAD_USER_INPUT"}
        assert first == again
        return
    (one,), (other,) = first["data"].values(), again["data"].values()
    assert_answered(one)
    repeated = one["problems"] or said.get("idempotencyKey") is not None
    assert other == (one if repeated else _unchanged(one))


def drawn(number: int) -> list[Filing]:
    """Return the batches of so many tries as one list, without doubles."""
    taken: dict[str, Filing] = {}

    @tried(number)
    @given(batch=batches)
    def take(batch: list[Filing]) -> None:
        taken.update({filing["body"]: filing for filing in batch})

    take()
    return list(taken.values())


async def test_each_of_a_crowd_is_found_by_its_rarest_word(shared_memory: Memory) -> None:
    """With the real encoder, and more documents than hits."""
    crowd = drawn(CROWD)
    async with clerk_of(shared_memory) as clerk:
        filed = [await clerk.file({**filing, "project": "crowd"}) for filing in crowd]
        artifacts = [payload["artifact"] for (payload,) in filed if payload["created"]]
        sought = [found for found in _sought(artifacts) if found[1].documents == 1]
        assert len(sought) > len(crowd) / 4
        for artifact, rarest in sought:
            (result,) = await clerk.recall("crowd", _question(artifact, rarest))
            assert _hits_of(artifact, result), rarest.word
