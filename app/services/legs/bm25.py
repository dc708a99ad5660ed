"""BM25 over postings, as whole numbers: every order of adding them gives one sum. Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.domain.bm25 import LENGTH_NORMALISATION, TERM_SATURATION, most_of_a_term
from app.domain.recall import Candidate
from app.stores.postgres.packed import Numbers
from app.stores.postgres.term_postings import Postings

SHARE_UNITS = 1e7
"""A term's share of a score is rounded to this part of one, so that it is a small whole number to add."""

_SPARSE = 4


def best_by_bm25(
    postings: Postings,
    documents: int,
    total_terms: int,
    limit: int,
    *,
    seen: NDArray[np.bool_] | None = None,
    wanted: Numbers | None = None,
) -> list[Candidate]:
    """Answer the artifacts that hold the terms best among so many documents with so many terms.

    `seen` tells which of the postings count and `wanted` which artifacts may be answered; None means all.
    """
    artifacts, scores = _sums(postings.artifacts, _shares(postings, documents, total_terms, seen))
    if wanted is not None:
        artifacts, scores = _only(np.isin(artifacts, wanted), artifacts, scores)
    if len(scores) > limit:
        artifacts, scores = _only(scores >= np.partition(scores, -limit)[-limit], artifacts, scores)
    order = np.lexsort((artifacts, -scores))[:limit]
    return [
        Candidate(artifact, score / SHARE_UNITS)
        for artifact, score in zip(artifacts[order].tolist(), scores[order].tolist(), strict=True)
    ]


def _shares(
    postings: Postings, documents: int, total_terms: int, seen: NDArray[np.bool_] | None
) -> NDArray[np.float64]:
    """Answer what each posting adds to the score of its artifact; nothing where it is not seen."""
    holding = np.bincount(postings.terms, seen).astype(np.int64)
    most = np.array([most_of_a_term(documents, held) * SHARE_UNITS for held in holding.tolist()])
    longer = TERM_SATURATION * LENGTH_NORMALISATION / max(total_terms / max(documents, 1), 1)
    frequencies = postings.frequencies.astype(np.float64)
    shares: NDArray[np.float64] = most[postings.terms] * frequencies
    shares /= frequencies + TERM_SATURATION * (1 - LENGTH_NORMALISATION) + longer * postings.term_counts
    if seen is not None:
        shares *= seen
    return np.rint(shares, out=shares)


def _sums(artifacts: Numbers, shares: NDArray[np.float64]) -> tuple[Numbers, NDArray[np.float64]]:
    """Add up the shares by artifact: in a table of numbers, or by sorting where that would be mostly empty.

    An artifact without any is left out.
    """
    if not len(artifacts):
        return artifacts, shares
    first, last = int(artifacts.min()), int(artifacts.max())
    if last - first < _SPARSE * len(artifacts):
        sums: NDArray[np.float64] = np.bincount(artifacts - first, shares).view(np.float64)
        held = np.flatnonzero(sums > 0)
        return held + first, sums[held]
    order = np.argsort(artifacts, kind="stable")
    ordered = artifacts[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))
    sums = np.add.reduceat(shares[order], starts)
    return _only(sums > 0, ordered[starts], sums)


def _only(
    kept: NDArray[np.bool_], artifacts: Numbers, scores: NDArray[np.float64]
) -> tuple[Numbers, NDArray[np.float64]]:
    # Twice as fast as indexing by truth where much is left out.
    return np.compress(kept, artifacts), np.compress(kept, scores)
