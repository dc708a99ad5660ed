"""Rank fusion: rankings in, one order out, with every leg's share kept. Pure.

Reciprocal rank fusion after Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet
and individual Rank Learning Methods" (SIGIR 2009): a candidate scores the sum of weight / (constant + rank).
The paper's constant is 60; a small one lets what stands first in a ranking count (ADR-0021).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from app.domain.recall import FusedCandidate, LegContribution, LegName, Ranking

RANK_CONSTANT = 2
PLAIN_RANK_CONSTANT = 60
RECENCY_BOUND = 0.02

RecencyRule = Literal["bounded", "literal"]


def fuse(
    rankings: Sequence[Ranking],
    recency: RecencyRule = "bounded",
    *,
    constant: float = RANK_CONSTANT,
    recency_bound: float = RECENCY_BOUND,
) -> list[FusedCandidate]:
    """Merge rankings by leg name and weight, best first; equal scores are ordered by artifact number.

    A recency ranking proposes nothing. Its scores, from 0 to 1, raise or lower what the other legs gave by
    at most `recency_bound`; by the rule `literal` what they gave is multiplied by them instead.
    """
    shares: dict[int, list[LegContribution]] = defaultdict(list)
    for ranking in rankings:
        if ranking.leg is not LegName.RECENCY:
            for rank, candidate in enumerate(ranking.candidates, start=1):
                contribution = ranking.weight / (constant + rank)
                shares[candidate.artifact].append(
                    LegContribution(ranking.leg, rank, candidate.score, contribution)
                )
    for ranking in rankings:
        if ranking.leg is LegName.RECENCY:
            _reweight(shares, ranking, recency, recency_bound)
    fused = [_fused(artifact, contributions) for artifact, contributions in shares.items()]
    return sorted(fused, key=lambda candidate: (-candidate.score, candidate.artifact))


def fuse_plainly(rankings: Sequence[Ranking]) -> list[FusedCandidate]:
    """Merge rankings as the paper does: every leg counts the same, age counts nothing, the constant is 60."""
    alike = [replace(ranking, weight=1.0) for ranking in rankings]
    return fuse(alike, constant=PLAIN_RANK_CONSTANT, recency_bound=0.0)


def _reweight(
    shares: dict[int, list[LegContribution]], ages: Ranking, rule: RecencyRule, bound: float
) -> None:
    for rank, candidate in enumerate(ages.candidates, start=1):
        proposed = shares.get(candidate.artifact)
        if proposed:
            total = sum(share.contribution for share in proposed)
            factor = candidate.score - 1 if rule == "literal" else bound * (2 * candidate.score - 1)
            proposed.append(LegContribution(LegName.RECENCY, rank, candidate.score, total * factor))


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
