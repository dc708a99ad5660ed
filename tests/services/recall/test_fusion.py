"""Rank fusion by its formula, and who survives the cut."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.numbers import ArtifactNumber
from app.domain.recall import Candidate, FusedCandidate, LegContribution, LegName, Ranking
from app.services.recall.fusion import Fusion, fuse, fuse_plainly, keep_leg_winners, leg_winners, put_first

ARTIFACTS = st.lists(st.integers(1, 30), unique=True, max_size=12)
PROPOSERS = (LegName.DENSE, LegName.LEXICAL, LegName.GRAPH)


def _ranking(leg: LegName, *artifacts: int, scores: Sequence[float] = (), weight: float = 1.0) -> Ranking:
    found = map(ArtifactNumber, artifacts)
    given = scores or [1.0 / place for place in range(1, len(artifacts) + 1)]
    return Ranking(leg, tuple(Candidate(*pair) for pair in zip(found, given, strict=True)), weight=weight)


def _candidates(fusion: Fusion) -> list[FusedCandidate]:
    return [fusion.candidate(artifact) for artifact in fusion.order]


@st.composite
def rankings(draw: st.DrawFn) -> list[Ranking]:
    return [_ranking(leg, *draw(ARTIFACTS)) for leg in PROPOSERS]


def test_a_score_is_the_sum_of_weight_over_two_and_rank() -> None:
    graph = _ranking(LegName.GRAPH, 9, weight=0.5)
    fused = fuse([_ranking(LegName.DENSE, 5, 7), _ranking(LegName.LEXICAL, 7), graph])
    assert fused.scores == {7: 1 / 4 + 1 / 3, 5: 1 / 3, 9: 0.5 / 3}
    assert fused.order == (7, 5, 9)
    assert fused.candidate(ArtifactNumber(7)).contributions == (
        LegContribution(LegName.DENSE, 2, 0.5, 1 / 4),
        LegContribution(LegName.LEXICAL, 1, 1.0, 1 / 3),
    )


def test_equal_scores_are_ordered_by_number() -> None:
    """RNK-02: always the same one at the cut."""
    fused = fuse([_ranking(LegName.DENSE, 9, 4), _ranking(LegName.LEXICAL, 4, 9)])
    assert len(set(fused.scores.values())) == 1
    assert fused.order == (4, 9)


TIED = """
from app.domain.recall import Candidate, LegName, Ranking
from app.services.recall.fusion import fuse

legs = [
    Ranking(LegName.DENSE, (Candidate(7, 0.9), Candidate(4, 0.8))),
    Ranking(LegName.LEXICAL, (Candidate(4, 9.0), Candidate(7, 8.0))),
]
print({fuse(legs).order[0] for _ in range(50)})
"""


def test_equal_scores_are_ordered_alike_in_every_process() -> None:
    """RNK-02: whatever a process hashes with."""
    said = [
        subprocess.run(
            [sys.executable, "-c", TIED],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for seed in range(5)
    ]
    assert said == ["{4}"] * 5


@given(rankings())
def test_the_order_of_the_legs_makes_no_difference(legs: list[Ranking]) -> None:
    scores = fuse(legs).scores
    for order in permutations(legs):
        assert fuse(order).scores == pytest.approx(scores)


@given(rankings(), st.lists(st.floats(0, 1), min_size=30, max_size=30))
def test_recency_proposes_nothing_and_moves_a_score_a_little(legs: list[Ranking], ages: list[float]) -> None:
    plain = fuse(legs).scores
    moved = fuse([*legs, _ranking(LegName.RECENCY, *range(1, 31), scores=ages)], recency_bound=0.1)
    assert moved.scores.keys() == plain.keys()
    for candidate in _candidates(moved):
        age = ages[candidate.artifact - 1]
        assert candidate.score == pytest.approx(plain[candidate.artifact] * (1 + 0.1 * (2 * age - 1)))
        assert candidate.contributions[-1].leg is LegName.RECENCY
        assert candidate.score == pytest.approx(sum(share.contribution for share in candidate.contributions))


@given(rankings(), st.lists(st.floats(0, 1), min_size=30, max_size=30))
def test_by_the_literal_rule_a_score_is_multiplied_by_recency(legs: list[Ranking], ages: list[float]) -> None:
    plain = fuse(legs).scores
    moved = fuse([*legs, _ranking(LegName.RECENCY, *range(1, 31), scores=ages)], "literal")
    assert moved.scores.keys() == plain.keys()
    for candidate in _candidates(moved):
        assert candidate.score == pytest.approx(plain[candidate.artifact] * ages[candidate.artifact - 1])


def test_first_in_one_ranking_beats_tenth_in_two() -> None:
    """The sum must not bury what one leg is sure of."""
    sure, agreed = 99, 50
    legs = [
        _ranking(LegName.DENSE, *range(1, 10), agreed),
        _ranking(LegName.LEXICAL, sure, *range(11, 19), agreed),
    ]
    order = fuse(legs).order
    assert order.index(sure) < order.index(agreed)
    plain = fuse_plainly(legs).order
    assert plain.index(agreed) < plain.index(sure)


def test_an_old_document_that_fits_beats_a_young_one_that_does_not() -> None:
    """RNK-06: recency breaks ties and buries nothing."""
    exact, weak = 1, 2
    legs = [_ranking(LegName.DENSE, exact, weak), _ranking(LegName.LEXICAL, exact, weak)]
    fused = fuse([*legs, _ranking(LegName.RECENCY, weak, exact, scores=(1.0, 0.0))])
    assert fused.order in ((exact, weak), (weak, exact))
    crowd = (exact, 3, 4, 5, weak)
    far = [_ranking(LegName.DENSE, *crowd), _ranking(LegName.LEXICAL, *crowd)]
    ages = _ranking(LegName.RECENCY, weak, exact, 3, 4, 5, scores=(1.0, 0.0, 0.0, 0.0, 0.0))
    assert fuse([*far, ages]).order[0] == exact


def test_plain_fusion_knows_ranks_alone() -> None:
    legs = [_ranking(LegName.DENSE, 5, weight=3.0), _ranking(LegName.GRAPH, 4, weight=0.1)]
    fused = fuse_plainly([*legs, _ranking(LegName.RECENCY, 5)])
    assert fused.order == (4, 5)
    assert fused.scores == {4: 1 / 61, 5: 1 / 61}


def test_a_failed_leg_counts_for_nothing() -> None:
    legs = [_ranking(LegName.DENSE, 1, 2), Ranking(LegName.LEXICAL, (), problem="late")]
    assert _candidates(fuse(legs)) == _candidates(fuse(legs[:1]))
    assert leg_winners(legs) == [1]


def test_what_the_query_names_leads_in_its_order() -> None:
    fused = fuse([_ranking(LegName.DENSE, 1, 2, 3)])
    three, eight = map(ArtifactNumber, (3, 8))
    assert put_first(fused.order, [three, eight, three]) == [3, 8, 1, 2]
    assert fused.candidate(eight) == FusedCandidate(eight, 0.0, ())
    assert put_first(fused.order, []) == list(fused.order)


@given(rankings(), st.integers(0, 12), st.lists(st.integers(1, 30), max_size=2))
def test_every_winner_survives_where_there_is_room(
    legs: list[Ranking], first: int, named: list[ArtifactNumber]
) -> None:
    ordered = put_first(fuse(legs).order, named)
    kept = keep_leg_winners(ordered, legs, first)
    assert len(kept) == min(first, len(ordered))
    assert len(set(kept)) == len(kept)
    winners = set(leg_winners(legs))
    if kept:
        assert kept[0] == ordered[0]
    if first > len(winners):
        assert winners <= set(kept)


def test_a_late_winner_takes_the_last_place() -> None:
    legs = [_ranking(LegName.DENSE, *range(1, 9)), _ranking(LegName.GRAPH, 30, weight=0.1)]
    ordered = fuse(legs).order
    assert ordered[-1] == 30
    assert keep_leg_winners(ordered, legs, 3) == [1, 2, 30]


def test_a_fusion_is_plain_data() -> None:
    """It says what each leg gave, can be compared, and travels to another process."""
    legs = [_ranking(LegName.DENSE, 5, 7), _ranking(LegName.RECENCY, 7, 5, 9)]
    fused = fuse(legs)
    dense, recency = fused.legs
    assert (dense.ranks, dense.shares) == ({5: 1, 7: 2}, {5: 1 / 3, 7: 1 / 4})
    assert recency.shares.keys() == {5, 7}
    assert pickle.loads(pickle.dumps(fused)) == fused == fuse(legs)
