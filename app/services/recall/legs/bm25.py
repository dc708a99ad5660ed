"""BM25 over postings, in whole numbers, so that every order of adding them gives the same sum. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from app.domain.recall import Candidate
from app.stores.postgres.lexical.block_cache import Numbers, Postings

TERM_SATURATION = 1.5
LENGTH_NORMALISATION = 0.75


def max_term_score(documents: int, holding: int) -> float:
    """Return the most that a term can add to a score, given how many of the documents hold it."""
    rarity = log(1 + (documents - holding + 0.5) / (holding + 0.5))
    return rarity * (TERM_SATURATION + 1)


SHARE_UNITS = 1e7
"""A term's share of a score is counted in this fraction of one, rounded to a whole number."""

_SPARSE = 4
_AT_ONCE = 16_384
"""So many postings fit into a processor's cache from one step of the formula to the next."""

_SAMPLED = 16
"""One of so many scores is sampled to find a score that the best are not below."""

Seen = Callable[[Numbers], NDArray[np.bool_]]
Shares = Iterator[tuple[Numbers, NDArray[np.float64]]]


def best_by_bm25(
    terms: Sequence[Sequence[Postings]],
    documents: int,
    total_terms: int,
    limit: int,
    *,
    seen: Seen | None = None,
    wanted: Numbers | None = None,
) -> list[Candidate]:
    """Return the artifacts with the best BM25 scores, given the number of documents and of their terms.

    Each term comes in pieces, sorted by artifact. `seen` says which of some artifacts count, and `wanted`
    lists those that may be returned; None means all.
    """
    held = [postings for pieces in terms for postings in pieces if len(postings)]
    if not held:
        return []
    shares = _shares(terms, documents, total_terms, seen)
    artifacts, scores = _sums(shares, held, limit, wanted)
    if len(scores) > limit:
        artifacts, scores = _only(scores >= np.partition(scores, -limit)[-limit], artifacts, scores)
    order = np.lexsort((artifacts, -scores))[:limit]
    return [
        Candidate(artifact, score / SHARE_UNITS)
        for artifact, score in zip(artifacts[order].tolist(), scores[order].tolist(), strict=True)
    ]


def _shares(
    terms: Sequence[Sequence[Postings]], documents: int, total_terms: int, seen: Seen | None
) -> Shares:
    """Yield what postings add to the scores of their artifacts, term by term, in batches."""
    longer = TERM_SATURATION * LENGTH_NORMALISATION / max(total_terms / max(documents, 1), 1)
    for pieces in terms:
        if seen is not None:
            pieces = [_only_seen(postings, seen) for postings in pieces]
        max_score = max_term_score(documents, sum(map(len, pieces))) * SHARE_UNITS
        for postings in pieces:
            for start in range(0, len(postings), _AT_ONCE):
                part = slice(start, start + _AT_ONCE)
                frequencies = postings.frequencies[part].astype(np.float64)
                below = longer * postings.term_counts[part]
                below += frequencies + TERM_SATURATION * (1 - LENGTH_NORMALISATION)
                frequencies *= max_score
                frequencies /= below
                yield postings.artifacts[part], np.rint(frequencies, out=frequencies)


def _only_seen(postings: Postings, seen: Seen) -> Postings:
    counts = seen(postings.artifacts)
    return Postings(
        np.compress(counts, postings.artifacts),
        np.compress(counts, postings.frequencies),
        np.compress(counts, postings.term_counts),
    )


def _sums(
    shares: Shares, held: Sequence[Postings], limit: int, wanted: Numbers | None
) -> tuple[Numbers, NDArray[np.float64]]:
    """Add up the shares by artifact: in a table of numbers, or by sorting where that would be mostly empty.

    The result has at least the best, and none without a share.
    """
    first = min(int(postings.artifacts[0]) for postings in held)
    last = max(int(postings.artifacts[-1]) for postings in held)
    if last - first < _SPARSE * sum(map(len, held)):
        return _from_table(shares, first, last, limit, wanted)
    return _by_sorting(shares, wanted)


def _from_table(
    shares: Shares, first: int, last: int, limit: int, wanted: Numbers | None
) -> tuple[Numbers, NDArray[np.float64]]:
    table = np.zeros(last - first + 1)
    for artifacts, share in shares:
        table[artifacts - first] += share  # a term has one posting of an artifact
    if wanted is not None:
        wanted = wanted[(wanted >= first) & (wanted <= last)]
        scores = table[wanted - first]
        return _only(scores > 0, wanted, scores)
    sample = table[::_SAMPLED]
    least = np.partition(sample, -limit)[-limit] if len(sample) >= limit else 0.0
    places = np.flatnonzero(table >= least if least > 0 else table > 0)
    return places + first, table[places]


def _by_sorting(shares: Shares, wanted: Numbers | None) -> tuple[Numbers, NDArray[np.float64]]:
    parts = list(shares)
    if not parts:
        return np.array([], np.int64), np.array([])
    artifacts = np.concatenate([numbers for numbers, _ in parts])
    order = np.argsort(artifacts, kind="stable")
    ordered = artifacts[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))
    sums = np.add.reduceat(np.concatenate([share for _, share in parts])[order], starts)
    kept = sums > 0 if wanted is None else (sums > 0) & np.isin(ordered[starts], wanted)
    return _only(kept, ordered[starts], sums)


def _only(
    kept: NDArray[np.bool_], artifacts: Numbers, scores: NDArray[np.float64]
) -> tuple[Numbers, NDArray[np.float64]]:
    # Twice as fast as indexing by truth where much is left out.
    return np.compress(kept, artifacts), np.compress(kept, scores)
