"""Rank fusion: rankings in, one order out, with every leg's share kept. Pure.

Reciprocal rank fusion after Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet
and individual Rank Learning Methods" (SIGIR 2009): a candidate scores the sum of weight / (60 + rank).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from app.domain.recall import FusedCandidate, LegContribution, LegName, Ranking

RANK_CONSTANT = 60
RECENCY_BOUND = 0.02


def fuse(rankings: Sequence[Ranking], recency_bound: float = RECENCY_BOUND) -> list[FusedCandidate]:
    """Merge rankings by leg name and weight, best first; equal scores are ordered by artifact number.

    A recency ranking proposes nothing: its scores, from 0 to 1, raise or lower what the other legs gave
    by at most `recency_bound`.
    """
    shares: dict[int, list[LegContribution]] = defaultdict(list)
    for ranking in rankings:
        if ranking.leg is not LegName.RECENCY:
            for rank, candidate in enumerate(ranking.candidates, start=1):
                contribution = ranking.weight / (RANK_CONSTANT + rank)
                shares[candidate.artifact].append(
                    LegContribution(ranking.leg, rank, candidate.score, contribution)
                )
    for ranking in rankings:
        if ranking.leg is LegName.RECENCY:
            _reweight(shares, ranking, recency_bound)
    fused = [_fused(artifact, contributions) for artifact, contributions in shares.items()]
    return sorted(fused, key=lambda candidate: (-candidate.score, candidate.artifact))


def fuse_plainly(rankings: Sequence[Ranking]) -> list[FusedCandidate]:
    """Merge rankings by their ranks alone: every leg counts the same and age counts nothing."""
    return fuse([replace(ranking, weight=1.0) for ranking in rankings], recency_bound=0.0)


def _reweight(shares: dict[int, list[LegContribution]], recency: Ranking, bound: float) -> None:
    for rank, candidate in enumerate(recency.candidates, start=1):
        proposed = shares.get(candidate.artifact)
        if proposed:
            total = sum(share.contribution for share in proposed)
            nudge = total * bound * (2 * candidate.score - 1)
            proposed.append(LegContribution(LegName.RECENCY, rank, candidate.score, nudge))


def _fused(artifact: int, contributions: Sequence[LegContribution]) -> FusedCandidate:
    score = sum(share.contribution for share in contributions)
    return FusedCandidate(artifact, score, tuple(contributions))


def led_by(fused: Sequence[FusedCandidate], named: Sequence[int]) -> list[FusedCandidate]:
    """Put the artifacts that the query names first, in the order it names them.

    One that no leg proposed leads without a share of any.
    """
    by_artifact = {candidate.artifact: candidate for candidate in fused}
    leaders = [
        by_artifact.get(artifact, FusedCandidate(artifact, 0.0, ())) for artifact in dict.fromkeys(named)
    ]
    leading = {candidate.artifact for candidate in leaders}
    return leaders + [candidate for candidate in fused if candidate.artifact not in leading]


def leg_winners(rankings: Sequence[Ranking]) -> list[int]:
    """Answer the top candidate of every leg that proposes."""
    return [
        ranking.candidates[0].artifact
        for ranking in rankings
        if ranking.candidates and ranking.leg is not LegName.RECENCY
    ]


def keep_leg_winners(
    ordered: Sequence[FusedCandidate], rankings: Sequence[Ranking], first: int
) -> list[FusedCandidate]:
    """Answer the first so many, with the top candidate of every leg among them.

    A winner that fell behind takes the last place; winners never push each other out.
    """
    winners = set(leg_winners(rankings))
    kept = list(ordered[:first])
    late = [candidate for candidate in ordered[first:] if candidate.artifact in winners]
    for winner in late:
        place = _last_ordinary(kept, winners)
        if place is not None:
            del kept[place]
            kept.append(winner)
    return kept


def _last_ordinary(kept: Sequence[FusedCandidate], winners: set[int]) -> int | None:
    places = [place for place, candidate in enumerate(kept) if candidate.artifact not in winners]
    return places[-1] if len(places) > 1 or (places and places[0] > 0) else None
