"""How likely it is that something here answers a question. Pure.

The nearest passage is the evidence: of questions about what is filed its cosine was .38 or more in 98 of 100,
of questions about other subjects less in 92 of 100. The logistic curve is fitted to both
(`python -m tests.benchmarks.confidence`). The encoder says little about a few words or a name; there the
text decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from app.domain.recall import LegName, Ranking

STEEPNESS = 29.0
EVEN_COSINE = 0.433
"""The cosine at which an answer is as likely as none."""

LOW_CONFIDENCE = 0.2
EVEN = 0.5
"""The likelihood at which an answer is as likely as none."""


def confidence(
    nearest: float | None, *, is_named: bool, has_name: bool | None = None, says_question: bool = False
) -> float | None:
    """Return the likelihood, from 0 to 1, that something here answers a question.

    A question that names something here is answered, and so is a name that a hit's text has; a name that no
    hit has is not. A hit whose passage says all that a question says makes an answer as likely as none,
    however far it lies. `nearest` is the likelihood by the nearest passage, None without an answer of the
    dense leg: the result is then None. `has_name` is whether a hit's text has the name that the query is,
    None when the query is no name.
    """
    if is_named:
        return 1.0
    if nearest is None:
        return None
    if has_name is not None:
        return float(has_name)
    return max(nearest, EVEN) if says_question else nearest


def nearest_likelihood(rankings: Sequence[Ranking]) -> float | None:
    """Return how likely the nearest passage answers the question; None if the dense leg did not answer."""
    dense = next((ranking for ranking in rankings if ranking.leg is LegName.DENSE), None)
    if dense is None or dense.problem is not None:
        return None
    return likelihood(dense.candidates[0].score) if dense.candidates else 0.0


def likelihood(cosine: float) -> float:
    """Return how likely the passage of this cosine answers the question."""
    return 1 / (1 + exp(-STEEPNESS * (cosine - EVEN_COSINE)))
