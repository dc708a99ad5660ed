"""What nothing answers is said to be unanswered, and what is answered is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.numbers import ArtifactNumber, TenantNumber
from app.domain.recall import Candidate, LegName, Ranking
from app.embedding import Embedder
from app.services.recall.confidence import (
    EVEN_COSINE,
    LOW_CONFIDENCE,
    confidence,
    likelihood,
    nearest_likelihood,
)
from app.stores.postgres.pool import Database
from tests.conftest import memory_on
from tests.documents import ProjectFixture, adr, ask, file
from tests.services.recall.test_failures import BrokenEmbedder

DOUBTED = "probably no hit answers this question"


def _dense(*cosines: float, problem: str | None = None) -> Ranking:
    found = tuple(Candidate(ArtifactNumber(number), cosine) for number, cosine in enumerate(cosines, start=1))
    return Ranking(LegName.DENSE, found, problem=problem)


def _confidence(rankings: list[Ranking], *, is_named: bool = False) -> float | None:
    return confidence(nearest_likelihood(rankings), is_named=is_named)


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_the_nearer_the_likelier(one: float, other: float) -> None:
    lower, higher = sorted((one, other))
    assert 0.0 <= likelihood(lower) <= likelihood(higher) <= 1.0
    assert likelihood(EVEN_COSINE) == 0.5


def test_no_evidence_gives_no_confidence() -> None:
    lexical = Ranking(LegName.LEXICAL, (Candidate(ArtifactNumber(1), 12.0),))
    assert _confidence([_dense(0.1, 0.05), lexical]) == likelihood(0.1) < LOW_CONFIDENCE
    assert _confidence([_dense(0.1), lexical], is_named=True) == 1.0
    assert _confidence([_dense(problem="late"), lexical]) is None
    assert _confidence([lexical]) is None
    assert _confidence([_dense()]) == 0.0


async def test_a_question_about_something_else_gets_an_advisory(desk: ProjectFixture) -> None:
    """Ten hits always come; whether any of them is an answer is another matter."""
    await desk.file_all(
        adr(1, "Events travel through a durable queue", "Workers read events from a queue that keeps them."),
        adr(2, "Passwords are hashed with argon2", "We store no password, only its hash."),
        adr(3, "Releases are cut every second Tuesday", "A release branch is made and tagged."),
    )
    for foreign in ("how do I bake sourdough bread", "who won the football world cup in 2014"):
        result = await desk.ask(foreign)
        assert result.hits
        assert result.confidence is not None
        assert result.confidence < LOW_CONFIDENCE
        assert any(DOUBTED in said for said in result.advisories)
    for fitting in ("how are passwords stored", "when do we release", "which queue carries events", "ADR-2"):
        result = await desk.ask(fitting)
        assert result.confidence is not None
        assert result.confidence > 0.5
        assert result.advisories == ()


async def test_where_nothing_is_nothing_is_doubted_in_words(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Queue"))
    result = await desk.ask("queue", kinds=("Plan",))
    assert (result.hits, result.confidence, result.advisories) == ((), 0.0, ())


async def test_without_the_encoder_there_is_no_confidence(
    database: Database, embedder: Embedder, tenant: TenantNumber
) -> None:
    memory = memory_on(database, BrokenEmbedder(embedder), tenant)
    await file(memory, adr(1, "Queue"))
    result = await ask(memory, "bread")
    assert result.confidence is None
    assert not any(DOUBTED in said for said in result.advisories)


@pytest.mark.parametrize("query", ["queue", "QUEUE", "durable"])
async def test_a_word_of_the_text_is_not_doubted(desk: ProjectFixture, query: str) -> None:
    await desk.file(adr(1, "Events travel through a durable queue"))
    assert (await desk.ask(query)).advisories == ()


async def test_a_name_that_nothing_here_has_is_not_answered(desk: ProjectFixture) -> None:
    """An agent that asks for a decision that does not exist must not take the nearest for it."""
    await desk.file_all(
        adr(
            1,
            "Events travel through a queue",
            "Workers call `retry_with_jitter()`, in src/queue/worker.py.",
        ),
        adr(2, "Passwords are hashed", "TICKET-80 asked for argon2."),
    )
    for absent in ("ADR-9999", "adr 9999", "TICKET-81", "src/nowhere/foo.py", "FooBarBaz"):
        result = await desk.ask(absent)
        assert (result.anchors, result.confidence) == ((), 0.0), absent
        assert any(DOUBTED in said for said in result.advisories)
    for written in ("retry_with_jitter()", "src/queue/worker.py", "TICKET-80", "ticket 80", "ADR-1"):
        result = await desk.ask(written)
        assert (result.confidence, result.advisories) == (1.0, ()), written


async def test_what_heads_a_document_answers_for_it(desk: ProjectFixture) -> None:
    await desk.file_all(
        adr(
            1,
            "Events travel through a durable queue",
            "Workers read events from a queue that keeps them.",
            author="Ada Lovelace, Tarek Ziadé",
            source_uri="docs/decisions/messaging/0001-durable-queue.md",
            meta={
                "status": "Accepted",
                "consulted": ["Grace Hopper"],
                "review": {"board": "Platform council"},
            },
        ),
        adr(2, "Passwords are hashed", "We store only a hash.", source_uri="docs/decisions/0002-hash.md"),
    )
    for asked in (
        "what did Ada Lovelace write",
        "documents by Tarek",
        "Tarek Ziadé",
        "decisions in which Grace Hopper was consulted",
        "the queue decision by Ada",
        "platform council",
        "the messaging folder",
        "which files are in docs/decisions",
        "docs/decisions/messaging",
        "0001-durable-queue",
        "messaging/0001-durable-queue.md",
    ):
        result = await desk.ask(asked)
        assert result.confidence is not None
        assert result.confidence >= 0.5, asked
        assert result.advisories == (), asked
    for foreign in (
        "what did Marie Curie write",
        "documents by Shakespeare",
        "proposals by Angela Merkel",
        "the vacation folder",
        "docs/nowhere",
        "0042-kafka.md",
        "which documents did the author write",
        "who was consulted about cooking",
    ):
        result = await desk.ask(foreign)
        assert result.confidence is not None
        assert result.confidence < LOW_CONFIDENCE, foreign


async def test_what_a_passage_says_word_for_word_is_not_doubted(desk: ProjectFixture) -> None:
    await desk.file_all(
        adr(1, "Storage", "We use Postgres. MySQL was considered and turned down."),
        adr(2, "Scheduling", "Services run on Nomad. Kubernetes was too much for a team of four."),
    )
    for said in ("where do services run", "who turned down MySQL", "what about mysql", "why not kubernetes"):
        result = await desk.ask(said)
        assert result.confidence is not None
        assert result.confidence >= 0.5, said
        assert result.advisories == ()
    result = await desk.ask("where do penguins run")
    assert result.confidence is not None
    assert result.confidence < LOW_CONFIDENCE
