"""Retrieval measures as trec_eval computes them: linear gains, logarithmic discount. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

NDCG_DEPTH = 10
NEAR_DEPTH = 10
FAR_DEPTH = 100


def ndcg(ranking: Sequence[str], relevance: Mapping[str, int], depth: int = NDCG_DEPTH) -> float:
    """Answer normalised discounted cumulative gain at a depth (Järvelin and Kekäläinen, 2002)."""
    gained = _discounted([relevance.get(found, 0) for found in ranking[:depth]])
    ideal = _discounted(sorted(relevance.values(), reverse=True)[:depth])
    return gained / ideal if ideal else 0.0


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / log2(place + 1) for place, gain in enumerate(gains, start=1))


def recall_at(ranking: Sequence[str], relevance: Mapping[str, int], depth: int) -> float:
    """Answer the share of the relevant documents among the first `depth`."""
    relevant = {document for document, grade in relevance.items() if grade > 0}
    return len(relevant.intersection(ranking[:depth])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], relevance: Mapping[str, int]) -> float:
    """Answer one over the place of the first relevant document, 0 without one."""
    places = (place for place, found in enumerate(ranking, start=1) if relevance.get(found, 0) > 0)
    return 1 / next(places, float("inf"))


def measure(ranking: Sequence[str], relevance: Mapping[str, int]) -> dict[str, float]:
    """Answer every measure of one ranking by its name."""
    return {
        "ndcg@10": ndcg(ranking, relevance),
        "recall@10": recall_at(ranking, relevance, NEAR_DEPTH),
        "recall@100": recall_at(ranking, relevance, FAR_DEPTH),
        "mrr": reciprocal_rank(ranking, relevance),
    }


def mean(measures: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Answer the mean of each measure over queries; empty without any."""
    if not measures:
        return {}
    return {name: sum(row[name] for row in measures) / len(measures) for name in measures[0]}
