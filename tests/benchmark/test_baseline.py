"""The baseline is honest: it proposes what the legs propose, and knows what was replaced."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest

from app.benchmark.baseline import Baseline, BaselineHit
from app.benchmark.scenarios import best_of_baseline
from app.domain.artifact import Document
from app.services.analysis import query_terms
from app.services.container import Memory
from app.services.maintenance.periodic import index_large_projects
from app.services.recall.legs.base import Leg
from app.services.recall.legs.dense import DenseLeg
from app.services.recall.legs.graph import ReferenceLeg
from app.services.recall.legs.lexical import LexicalLeg
from app.stores.postgres.vector_indexes import valid_indexes
from tests.documents import RELATES_TO, SUPERSEDES, ProjectFixture, adr, claims
from tests.services.recall.legs.asking import propose, scope_of

LONG = "Retry, retry and retry again: budgets are for others. " * 30
DOCUMENTS = [
    adr(1, "Retry budget", "Clients keep a retry budget of ten per cent."),
    adr(2, "Retries", LONG, references=claims(SUPERSEDES, "ADR-1")),
    adr(3, "Colours", "The bicycle shed is blue.", references=claims(RELATES_TO, "ADR-1", "ADR-2")),
    adr(4, "Budget", "A budget of colours.", references=claims(RELATES_TO, "ADR-3")),
    adr(5, "Leases", "A worker keeps a lease of ten seconds.\n\n## Related\n\nNothing."),
]
QUESTIONS = ["retry budget", "how long does a worker keep a lease", "what followed from ADR-1", "zebra"]


@pytest.fixture
async def filed(desk: ProjectFixture) -> ProjectFixture:
    await desk.file_all(*DOCUMENTS)
    return desk


@pytest.fixture
async def baseline(filed: ProjectFixture) -> AsyncIterator[Baseline]:
    async with filed.reading() as connection:
        yield await Baseline.prepare(connection)


def by_rank(hits: list[BaselineHit], rank: Callable[[BaselineHit], int | None]) -> list[int]:
    """Return the artifacts that a leg proposed, in its order."""
    proposed = {found: hit.artifact for hit in hits if (found := rank(hit)) is not None}
    assert sorted(proposed) == list(range(1, len(proposed) + 1))
    return [proposed[place] for place in sorted(proposed)]


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_hybrid_statement_proposes_what_the_legs_propose(
    filed: ProjectFixture, baseline: Baseline, question: str
) -> None:
    scope = await scope_of(filed)
    hits = await best_of_baseline(baseline, filed.memory, scope, question, 100)

    async def leg(leg: Leg, *anchors: Document) -> list[int]:
        found = (await filed.ask(document.identifier or "") for document in anchors)
        entities = [result.anchors[0].entity.id async for result in found]
        return [each.artifact for each in await propose(filed, leg, question, scope=scope, anchors=entities)]

    assert by_rank(hits, lambda hit: hit.dense_rank) == await leg(DenseLeg(filed.memory.embedder))
    assert by_rank(hits, lambda hit: hit.lexical_rank) == await leg(LexicalLeg())
    named = [document for document in DOCUMENTS if str(document.identifier) in question]
    beside = await leg(ReferenceLeg(filed.memory.graph, named_exactly=True), *named) if named else []
    assert by_rank(hits, lambda hit: hit.graph_rank) == beside
    assert bool(named) == bool(beside)


async def test_the_statements_use_the_index_that_the_leg_uses(memory: Memory, database_url: str) -> None:
    filed = ProjectFixture(memory, "floor")
    await filed.file_all(*DOCUMENTS)
    assert await index_large_projects(database_url, 1) == ["floor"]
    scope = replace(await scope_of(filed), may_approximate=True)
    async with filed.reading() as connection:
        (index,) = (await valid_indexes(connection)).values()
        baseline = await Baseline.prepare(connection, index)
        hits = await best_of_baseline(baseline, filed.memory, scope, QUESTIONS[1], 100)
        vector = await filed.memory.embedder.embed_query(QUESTIONS[1])
        dense = await propose(filed, DenseLeg(filed.memory.embedder), QUESTIONS[1], scope=scope)
        assert by_rank(hits, lambda hit: hit.dense_rank) == [each.artifact for each in dense]
        assert await baseline.nearest(scope, vector, 3) == [each.artifact for each in dense][:3]


async def test_the_hybrid_statement_tells_titles_texts_and_what_was_replaced(
    filed: ProjectFixture, baseline: Baseline
) -> None:
    hits = await best_of_baseline(baseline, filed.memory, await scope_of(filed), "retry budget", 3)
    assert len(hits) == 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    found = {hit.identifier: hit for hit in hits}
    assert (found["ADR-1"].title, found["ADR-1"].passage) == ("Retry budget", DOCUMENTS[0].body)
    assert {name: hit.is_replaced for name, hit in found.items() if name != "ADR-4"} == {
        "ADR-1": True,
        "ADR-2": False,
    }


async def test_the_vector_statement_proposes_what_the_dense_leg_proposes(
    filed: ProjectFixture, baseline: Baseline
) -> None:
    scope = await scope_of(filed)
    question = QUESTIONS[1]
    vector = await filed.memory.embedder.embed_query(question)
    dense = await propose(filed, DenseLeg(filed.memory.embedder), question, scope=scope)
    assert await baseline.nearest(scope, vector, 3) == [each.artifact for each in dense][:3]
    assert query_terms(question)
