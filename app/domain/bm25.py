"""BM25, the weight of a term in a document.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the
non-negative inverse document frequency that Lucene uses.
"""

from __future__ import annotations

from math import log

TERM_SATURATION = 1.5
LENGTH_NORMALISATION = 0.75


def most_of_a_term(documents: int, holding: int) -> float:
    """Answer what a term adds to a score at most, where so many of the documents hold it."""
    rarity = log(1 + (documents - holding + 0.5) / (holding + 0.5))
    return rarity * (TERM_SATURATION + 1)
