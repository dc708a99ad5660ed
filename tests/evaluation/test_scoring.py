from __future__ import annotations

from math import log2

import pytest

from app.evaluation.scoring import mean, measure, ndcg, recall_at, reciprocal_rank


def test_ndcg_of_a_perfect_order_is_one() -> None:
    assert ndcg(["a", "b", "c"], {"a": 2, "b": 1}) == 1.0


def test_ndcg_discounts_by_the_logarithm_of_the_place() -> None:
    gained = 1 / log2(3) + 2 / log2(4)
    assert ndcg(["x", "b", "a"], {"a": 2, "b": 1}) == pytest.approx(gained / (2 + 1 / log2(3)))


def test_ndcg_looks_no_deeper_than_ten() -> None:
    assert ndcg([*"abcdefghij", "relevant"], {"relevant": 1}) == 0.0


def test_recall_counts_relevant_documents_only() -> None:
    assert recall_at(["a", "x", "b"], {"a": 1, "b": 1, "c": 1, "x": 0}, 2) == pytest.approx(1 / 3)


def test_reciprocal_rank_is_zero_without_a_relevant_document() -> None:
    assert reciprocal_rank(["x"], {"a": 1}) == 0.0
    assert reciprocal_rank(["x", "a"], {"a": 1}) == 0.5


def test_an_empty_ranking_scores_nothing() -> None:
    assert set(measure([], {"a": 1}).values()) == {0.0}


def test_the_mean_is_taken_measure_by_measure() -> None:
    assert mean([{"mrr": 1.0}, {"mrr": 0.5}]) == {"mrr": 0.75}
    assert mean([]) == {}
