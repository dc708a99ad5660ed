"""BM25 against its formula, computed here from the same terms."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from app.domain.artifact import Document, MemoryDomain
from app.services.analysis import query_terms, terms_of
from app.services.filing import FiledDocument
from app.services.recall.legs.bm25 import SHARE_UNITS
from app.services.recall.legs.lexical import LexicalLeg
from tests.documents import ProjectFixture, adr, day
from tests.services.recall.legs.asking import propose, scope_of

SATURATION, NORMALISATION = 1.5, 0.75
ROUNDING = 10 / SHARE_UNITS  # a query has fewer terms than that
DOCUMENTS = [
    adr(1, "Retry budget", "Clients keep a retry budget of ten per cent.", created_at=day(2020)),
    adr(2, "Retries", "Retry, retry and retry again: budgets are for others. " * 9, created_at=day(2020, 6)),
    adr(3, "Colours", "The bicycle shed is blue.", created_at=day(2021)),
    adr(4, "Budget", "A budget of colours.", created_at=day(2022), kind="SPEC", domain=MemoryDomain.RESEARCH),
    adr(5, "Äußere Prüfung", "naïve 東京タワー getUserById /etc/passwd", created_at=day(2023)),
    adr(1, "Retry budget", "Clients keep a retry budget of twenty per cent.", created_at=day(2024)),
]
QUERIES = [
    "retry budget",
    "retry retry budget colours",
    "the bicycle",
    "ADR-1",
    "aussere prufung",
    "東京",
    "user id passwd",
    "blue budget nothing",
]


def _bm25(query: str, documents: Sequence[Document], visible: Sequence[Document]) -> dict[int, float]:
    """Return the score of each document that holds a term, over what is visible."""
    read = {
        place: terms_of(f"{document.identifier}\n{document.title}\n{document.body}")
        for place, document in enumerate(documents)
        if document in visible
    }
    mean = sum(text.length for text in read.values()) / len(read)
    scores: dict[int, float] = defaultdict(float)
    for term in query_terms(query):
        holding = {place: text for place, text in read.items() if text.terms[term]}
        rarity = math.log(1 + (len(read) - len(holding) + 0.5) / (len(holding) + 0.5))
        for place, text in holding.items():
            frequency = text.terms[term]
            longer = 1 - NORMALISATION + NORMALISATION * text.length / mean
            scores[place] += rarity * frequency * (SATURATION + 1) / (frequency + SATURATION * longer)
    return dict(scores)


async def _filed(desk: ProjectFixture) -> list[FiledDocument]:
    return [await desk.file(document) for document in DOCUMENTS]


@pytest.mark.parametrize("moment", [None, day(2020, 1), day(2021, 6), day(2022), day(2030)])
async def test_scores_are_those_of_the_formula(desk: ProjectFixture, moment: datetime | None) -> None:
    filed = await _filed(desk)
    place_of = {document.artifact.number: place for place, document in enumerate(filed)}
    visible = [
        document
        for document in DOCUMENTS
        if moment is None or (document.created_at is not None and document.created_at <= moment)
    ]
    for query in QUERIES:
        found = await propose(desk, LexicalLeg(), query, scope=await scope_of(desk, moment))
        scores = {place_of[candidate.artifact]: candidate.score for candidate in found}
        assert scores == pytest.approx(_bm25(query, DOCUMENTS, visible), abs=ROUNDING, rel=0)
        order = [(-candidate.score, candidate.artifact) for candidate in found]
        assert order == sorted(order)


async def test_kept_counts_and_counting_score_alike(desk: ProjectFixture) -> None:
    await _filed(desk)
    scope = await scope_of(desk)
    assert scope.sees_everything
    counting = replace(scope, sees_everything=False)
    for query in QUERIES:
        kept = await propose(desk, LexicalLeg(), query, scope=scope)
        assert kept == await propose(desk, LexicalLeg(), query, scope=counting)


async def test_what_comes_in_after_the_scope_was_made_counts_nothing(desk: ProjectFixture) -> None:
    await desk.file_all(*DOCUMENTS[:3])
    scope = await scope_of(desk)
    before = await propose(desk, LexicalLeg(), "retry budget", scope=scope)
    await desk.file_all(*DOCUMENTS[3:])
    assert scope.sees_everything
    assert await propose(desk, LexicalLeg(), "retry budget", scope=scope) == before


async def test_what_was_not_known_is_not_counted(desk: ProjectFixture) -> None:
    filed = await _filed(desk)
    place_of = {document.artifact.number: place for place, document in enumerate(filed)}
    scope = await scope_of(desk, known=filed[2].artifact.recorded_at)
    found = await propose(desk, LexicalLeg(), "retry budget", scope=scope)
    scores = {place_of[candidate.artifact]: candidate.score for candidate in found}
    assert scores == pytest.approx(_bm25("retry budget", DOCUMENTS, DOCUMENTS[:3]), abs=ROUNDING, rel=0)


async def test_kinds_and_domains_narrow_before_the_limit(desk: ProjectFixture) -> None:
    filed = await _filed(desk)
    scope = replace(await scope_of(desk), domains=("RESEARCH",))
    found = await propose(desk, LexicalLeg(), "retry budget", scope=scope, limit=1)
    assert [candidate.artifact for candidate in found] == [filed[3].artifact.number]
    everything = await propose(desk, LexicalLeg(), "retry budget")
    assert found[0] in everything


@pytest.mark.parametrize("query", ["the and of", "!!! ??? ***", "☂", "unheardof"])
async def test_what_holds_no_term_finds_nothing(desk: ProjectFixture, query: str) -> None:
    """DEG-03: no words, no documents."""
    await _filed(desk)
    assert await propose(desk, LexicalLeg(), query) == []


@pytest.mark.parametrize(
    "query", ["foo & | ! ( ) :* retry", "retry:b <-> c", "retry'", "\\retry%_", "retry; DROP TABLE posting"]
)
async def test_query_text_is_data(desk: ProjectFixture, query: str) -> None:
    """DEG-04: no character is an operator."""
    filed = await _filed(desk)
    found = await propose(desk, LexicalLeg(), query)
    assert filed[1].artifact.number in {candidate.artifact for candidate in found}
