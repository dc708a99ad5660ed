"""Scores of postings made at random, whatever the numbers of their artifacts."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from app.domain.recall import Candidate
from app.services.recall.legs.bm25 import (
    LENGTH_NORMALISATION,
    SHARE_UNITS,
    TERM_SATURATION,
    best_by_bm25,
    max_term_score,
)
from app.stores.postgres.lexical.block_cache import Numbers, Postings

DOCUMENTS, TERMS = 200, 5
LENGTHS = [1 + place * 7 % 90 for place in range(DOCUMENTS)]


def _held(random: Random) -> list[tuple[int, int, int]]:
    """Return which term is held where and how often."""
    return [
        (term, place, random.randint(1, 4))
        for term in range(TERMS)
        for place in range(DOCUMENTS)
        if random.random() < 0.1 + term / TERMS
    ]


def _postings(held: list[tuple[int, int, int]], first: int = 1, step: int = 1) -> list[list[Postings]]:
    """Return what each term holds in pieces of at most a hundred."""
    return [
        [_piece(of_term[start : start + 100], first, step) for start in range(0, len(of_term), 100)]
        for of_term in ([each for each in held if each[0] == term] for term in range(TERMS))
    ]


def _piece(held: list[tuple[int, int, int]], first: int, step: int) -> Postings:
    _, places, frequencies = np.array(sorted(held), np.int64).T
    return Postings.of(
        first + places * step, frequencies.astype(np.uint32), np.array(LENGTHS, np.uint32)[places]
    )


def _exact(held: list[tuple[int, int, int]]) -> dict[int, float]:
    """Return the score of each document, posting by posting."""
    holding = [sum(term == each for each, _, _ in held) for term in range(TERMS)]
    mean = sum(LENGTHS) / DOCUMENTS
    scores: dict[int, int] = {}
    for term, place, frequency in held:
        longer = TERM_SATURATION * LENGTH_NORMALISATION / mean * LENGTHS[place]
        below = frequency + TERM_SATURATION * (1 - LENGTH_NORMALISATION) + longer
        share = max_term_score(DOCUMENTS, holding[term]) * SHARE_UNITS * frequency / below
        scores[place] = scores.get(place, 0) + round(share)
    return {place: score / SHARE_UNITS for place, score in scores.items()}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("first", "step"), [(1, 1), (2**32 - 50, 1), (7, 1000), (2**40, 2**33)])
def test_artifacts_close_together_and_far_apart_are_scored_alike(seed: int, first: int, step: int) -> None:
    held = _held(Random(seed))
    found = best_by_bm25(_postings(held, first, step), DOCUMENTS, sum(LENGTHS), 1000)
    assert {(each.artifact - first) // step: each.score for each in found} == _exact(held)
    assert found == sorted(found, key=lambda each: (-each.score, each.artifact))


@pytest.mark.parametrize("limit", [1, 10, 50, 1000])
def test_the_best_are_those_of_the_whole_order(limit: int) -> None:
    """Ties at the end go to the artifact that came first."""
    held = [(0, place, 1) for place in range(0, DOCUMENTS, 2)]
    held += [each for each in _held(Random(1)) if each[0]]
    postings = _postings(held)
    assert (
        best_by_bm25(postings, DOCUMENTS, sum(LENGTHS), limit)
        == best_by_bm25(postings, DOCUMENTS, sum(LENGTHS), 10_000)[:limit]
    )


@pytest.mark.parametrize("step", [1, 1000])
def test_what_is_not_seen_counts_nothing(step: int) -> None:
    held = _held(Random(2))
    left = [posting for posting in held if posting[1] % 3]

    def seen(artifacts: Numbers) -> NDArray[np.bool_]:
        counts: NDArray[np.bool_] = (artifacts - 1) // step % 3 > 0
        return counts

    given = _postings(held, step=step)
    assert best_by_bm25(given, DOCUMENTS, sum(LENGTHS), 1000, seen=seen) == best_by_bm25(
        _postings(left, step=step), DOCUMENTS, sum(LENGTHS), 1000
    )
    assert best_by_bm25(given, DOCUMENTS, sum(LENGTHS), 9, seen=lambda every: every < 0) == []


@pytest.mark.parametrize("step", [1, 1000])
def test_what_is_not_wanted_counts_and_is_not_answered(step: int) -> None:
    postings = _postings(_held(Random(3)), step=step)
    everything = best_by_bm25(postings, DOCUMENTS, sum(LENGTHS), 1000)
    wanted = np.array([-7, 0, *(1 + place * step for place in range(10, 20)), 10**9])
    found = best_by_bm25(postings, DOCUMENTS, sum(LENGTHS), 3, wanted=wanted)
    assert found == [each for each in everything if each.artifact in wanted][:3]


def test_nothing_held_is_nothing_found() -> None:
    nothing: list[Candidate] = best_by_bm25(_postings([]), 0, 0, 10)
    assert nothing == []
