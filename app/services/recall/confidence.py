"""How likely it is that something here answers a question. Pure.

The nearest passage tells: of questions about what is filed its cosine was .38 or more in 98 of 100, of
questions about other subjects less in 92 of 100. The logistic curve is fitted to both
(`python -m tests.benchmarks.confidence`). Of a few words or a name the encoder tells little; there the
text does.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from app.domain.recall import Hit, LegName, Ranking
from app.services.analysis import is_one_name, query_terms, terms_of

STEEPNESS = 29.0
EVEN_COSINE = 0.433
"""The cosine at which an answer is as likely as none."""

LOW_CONFIDENCE = 0.2
EVEN = 0.5
ASKING = frozenset(
    (
        "about",
        "did",
        "do",
        "doe",
        "how",
        "tell",
        "what",
        "when",
        "where",
        "which",
        "who",
        "whom",
        "whose",
        "whi",
        "why",
    )
)
"""Words that ask, as terms: no answer needs to say them."""


def confidence(
    query: str,
    rankings: Sequence[Ranking],
    hits: Sequence[Hit],
    *,
    is_named: bool,
    has_name: bool | None = None,
) -> float | None:
    """Return the likelihood, from 0 to 1, that a question is answered by what is here.

    A question that names something here is answered, and so is a name that a hit's text has; one that none
    has is not. A hit whose passage says all that a question says makes an answer as likely as none, however
    far it lies. `has_name` tells whether a hit's text has the name that the query is, where somebody looked;
    None lets the texts be read. Without an answer of the dense leg nothing can be told: None.
    """
    if is_named:
        return 1.0
    dense = next((ranking for ranking in rankings if ranking.leg is LegName.DENSE), None)
    if dense is None or dense.problem is not None:
        return None
    if has_name is not None:
        return float(has_name)
    if hits and is_one_name(query):
        parts = query_terms(query)
        return float(any(_has(_whole(hit), parts) for hit in hits))
    told = likelihood(dense.candidates[0].score) if dense.candidates else 0.0
    return EVEN if told < EVEN and _is_said(query, hits) else told


def likelihood(cosine: float) -> float:
    """Return how likely the passage of this cosine answers the question."""
    return 1 / (1 + exp(-STEEPNESS * (cosine - EVEN_COSINE)))


def _is_said(query: str, hits: Sequence[Hit]) -> bool:
    """Return whether some hit says every word of a question in its title and passage."""
    telling = [term for term in query_terms(query) if term not in ASKING]
    return bool(telling) and any(_has(f"{hit.artifact.title}\n{hit.passage.text}", telling) for hit in hits)


def _whole(hit: Hit) -> str:
    return f"{hit.artifact.identifier or ''}\n{hit.artifact.title}\n{hit.artifact.body}"


def _has(text: str, terms: Sequence[str]) -> bool:
    held = terms_of(text).terms
    return all(term in held for term in terms)
