from __future__ import annotations

from collections import Counter
from itertools import islice
from random import Random

import pytest

from app.benchmark.corpus import (
    FIRST_DAY,
    LAST_DAY,
    MAX_DOCUMENTS,
    MIN_DOCUMENTS,
    Corpus,
    Text,
    bodies,
    identifier,
    made_of,
    read_corpus,
    stretches_of,
)
from app.benchmark.questions import QUESTIONS, Wordings, make_questions, spread
from app.domain.artifact import Document
from app.domain.entity import ReferenceType
from app.errors import Invalid
from app.services.analysis import query_terms

DOCUMENTS = 300


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """The shipped decision records, of which there are fewer stretches than documents."""
    return read_corpus(DOCUMENTS, None)


@pytest.fixture(scope="module")
def documents(corpus: Corpus) -> list[Document]:
    return made(corpus)


def made(corpus: Corpus) -> list[Document]:
    random = Random(7)
    numbered = enumerate(islice(corpus.bodies(), DOCUMENTS), start=1)
    return [made_of(body, number, DOCUMENTS, random) for number, body in numbered]


def test_the_same_seed_makes_the_same_documents(corpus: Corpus, documents: list[Document]) -> None:
    assert made(corpus) == documents
    texts = [Text("One", ("a b c " * 20, "d e f " * 20, "g h i " * 20))]
    assert stretches_of(texts, 1) == stretches_of(texts, 1)
    assert len({tuple(body.paragraphs for body in stretches_of(texts, seed)) for seed in range(20)}) > 1


def test_documents_past_the_stretches_are_recombined_and_all_are_distinct(
    corpus: Corpus, documents: list[Document]
) -> None:
    made_bodies = list(islice(corpus.bodies(), DOCUMENTS))
    whole = len(corpus.stretches)
    assert 0 < whole < DOCUMENTS
    assert [body.is_recombined for body in made_bodies] == [False] * whole + [True] * (DOCUMENTS - whole)
    assert len({body.paragraphs for body in made_bodies}) == DOCUMENTS
    assert all(40 <= len(document.body.split()) <= 230 for document in documents)


def test_even_one_stretch_is_recombined_into_distinct_bodies() -> None:
    stretches = stretches_of([Text("One", (" ".join(str(n) for n in range(40)),))], 1)
    found = list(islice(bodies(stretches, 1), 100))
    assert len({body.paragraphs for body in found}) == 100


def test_documents_are_read_as_they_are_meant(documents: list[Document]) -> None:
    assert [document.identifier for document in documents] == [
        identifier(number) for number in range(1, DOCUMENTS + 1)
    ]
    assert {document.kind for document in documents} == {"SPEC"}
    days = [document.created_at for document in documents if document.created_at is not None]
    assert len(days) == DOCUMENTS
    assert days == sorted(days)
    assert FIRST_DAY < days[0] < days[-1] < LAST_DAY
    assert (days[-1] - days[0]).days > 1_000


def test_references_lead_to_earlier_documents_and_mostly_to_a_few(documents: list[Document]) -> None:
    targets: Counter[str] = Counter()
    superseding = 0
    for number, document in enumerate(documents, start=1):
        for claim in document.references:
            if claim.type in (ReferenceType.RELATES_TO, ReferenceType.SUPERSEDES):
                assert 0 < int(claim.target.removeprefix("SPEC-")) < number
            targets[claim.target] += claim.type is ReferenceType.RELATES_TO
            superseding += claim.type is ReferenceType.SUPERSEDES
    assert targets.total() > DOCUMENTS / 2
    assert sum(count for _, count in targets.most_common(10)) > targets.total() / 4
    assert 0 < superseding < DOCUMENTS / 10


@pytest.mark.parametrize("documents", [MIN_DOCUMENTS - 1, MAX_DOCUMENTS + 1])
def test_too_few_or_too_many_documents_are_refused(documents: int) -> None:
    with pytest.raises(Invalid, match="--documents must be from 10 to 1,000,000, not"):
        read_corpus(documents, None)


def test_more_documents_than_the_texts_can_make_are_refused() -> None:
    with pytest.raises(Invalid, match=r"the texts of the shipped decision records make only \d.*--corpora"):
        read_corpus(MAX_DOCUMENTS, None)


def test_questions_hold_words_of_their_document_and_some_name_it(corpus: Corpus) -> None:
    numbers = spread(DOCUMENTS)
    assert len(numbers) == QUESTIONS == len(set(numbers))
    found = dict(enumerate(islice(corpus.bodies(), DOCUMENTS), start=1))
    questions = make_questions({number: found[number] for number in numbers}, 7)
    assert questions == make_questions({number: found[number] for number in numbers}, 7)
    assert sum(question.names_it for question in questions) == QUESTIONS // 10
    for question in questions:
        if question.names_it:
            assert identifier(question.document) in question.text
        else:
            said = set(query_terms(" ".join(found[question.document].paragraphs)))
            assert len(set(query_terms(question.text)) & said) >= 1
    assert spread(12) == list(range(1, 13))


def test_wordings_differ_each_time_and_mean_the_same(corpus: Corpus) -> None:
    (question,) = make_questions({1: corpus.stretches[0]}, 7)
    wordings = Wordings()
    used = [wordings.fresh(question) for _ in range(125)]
    assert len(set(used)) == 125
    assert {tuple(query_terms(text)) for text in used} == {tuple(query_terms(question.text))}
    assert wordings.fresh(question) == used[0]
