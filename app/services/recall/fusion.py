"""Rank fusion: rank by age, merge rankings into one order, keep the contribution of every leg. Pure.

Reciprocal rank fusion after Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet
and individual Rank Learning Methods" (SIGIR 2009): a candidate scores the sum of weight / (constant + rank).
The paper's constant is 60; a small one gives more weight to the first ranks (ADR-0021).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from math import exp
from operator import itemgetter
from typing import Literal

import numpy as np

from app.domain.numbers import ArtifactNumber
from app.domain.recall import Candidate, FusedCandidate, LegContribution, LegName, Ranking

RANK_CONSTANT = 2
PLAIN_RANK_CONSTANT = 60
RECENCY_BOUND = 0.02

RecencyRule = Literal["bounded", "literal"]


@dataclass(frozen=True, slots=True)
class LegShares:
    """A ranking, the ranks of its artifacts from 1, and what it adds to the fused score of each.

    Recency may add less than 0, and adds nothing to an artifact that no other leg proposes.
    """

    ranking: Ranking
    ranks: Mapping[ArtifactNumber, int]
    shares: Mapping[ArtifactNumber, float]

    def contribution(self, artifact: ArtifactNumber) -> LegContribution | None:
        """Return the rank, score and share that the leg gave an artifact, if any."""
        share = self.shares.get(artifact)
        if share is None:
            return None
        rank = self.ranks[artifact]
        return LegContribution(self.ranking.leg, rank, self.ranking.candidates[rank - 1].score, share)


@dataclass(frozen=True, slots=True)
class Fusion:
    """Artifacts in the order of their fused scores, and the shares of every ranking."""

    order: tuple[ArtifactNumber, ...]
    scores: Mapping[ArtifactNumber, float]
    legs: tuple[LegShares, ...]

    def candidate(self, artifact: ArtifactNumber) -> FusedCandidate:
        """Return an artifact with the contribution of each leg that proposed it, if any did."""
        found = (leg.contribution(artifact) for leg in self.legs)
        contributions = tuple(contribution for contribution in found if contribution is not None)
        return FusedCandidate(artifact, self.scores.get(artifact, 0.0), contributions)


def fuse(
    rankings: Sequence[Ranking],
    recency: RecencyRule = "bounded",
    *,
    constant: float = RANK_CONSTANT,
    recency_bound: float = RECENCY_BOUND,
) -> Fusion:
    """Merge rankings by leg name and weight, best first; equal scores are ordered by artifact number.

    A recency ranking proposes nothing. Its scores, from 0 to 1, raise or lower what the other legs gave by
    at most `recency_bound`; by the rule `literal` what they gave is multiplied by them instead.
    """
    proposing = [_by_rank(each, constant) for each in rankings if each.leg is not LegName.RECENCY]
    given = _sum_shares(proposing)
    bound = None if recency == "literal" else recency_bound
    ages = [_by_age(each, given, bound) for each in rankings if each.leg is LegName.RECENCY]
    scores = dict(given)
    for leg in ages:
        for artifact, change in leg.shares.items():
            scores[artifact] += change
    return Fusion(_best_first(scores), scores, (*proposing, *ages))


def fuse_plainly(rankings: Sequence[Ranking]) -> Fusion:
    """Merge rankings as the paper does: equal weights, no recency, and the constant 60."""
    alike = [replace(ranking, weight=1.0) for ranking in rankings]
    return fuse(alike, constant=PLAIN_RANK_CONSTANT, recency_bound=0.0)


def _best_first(scores: Mapping[ArtifactNumber, float]) -> tuple[ArtifactNumber, ...]:
    """Return the artifacts by falling score; equal scores are ordered by number."""
    artifacts = np.fromiter(scores.keys(), np.int64, len(scores))
    falling = -np.fromiter(scores.values(), np.float64, len(scores))
    return tuple(artifacts[np.lexsort((artifacts, falling))].tolist())


def _by_rank(ranking: Ranking, constant: float) -> LegShares:
    """Return what a leg gives each of its candidates for its rank."""
    ranks, weight = _ranks(ranking), ranking.weight
    shares = {artifact: weight / (constant + rank) for artifact, rank in ranks.items()}
    return LegShares(ranking, ranks, shares)


def _by_age(ranking: Ranking, given: Mapping[ArtifactNumber, float], bound: float | None) -> LegShares:
    """Return by how much the age of each candidate changes what the other legs gave it."""
    shares = {
        artifact: given[artifact] * _change(age, bound)
        for artifact, age in ranking.candidates
        if artifact in given
    }
    return LegShares(ranking, _ranks(ranking), shares)


def _ranks(ranking: Ranking) -> dict[ArtifactNumber, int]:
    return dict(zip(map(itemgetter(0), ranking.candidates), count(1), strict=False))


def _change(age: float, bound: float | None) -> float:
    """Return the fraction by which an age changes a score."""
    return age - 1 if bound is None else bound * (2 * age - 1)


def _sum_shares(legs: Sequence[LegShares]) -> Mapping[ArtifactNumber, float]:
    """Return what these legs give every artifact together."""
    given: dict[ArtifactNumber, float] = defaultdict(float)
    for leg in legs:
        for artifact, share in leg.shares.items():
            given[artifact] += share
    return given


def put_first(order: Sequence[ArtifactNumber], named: Sequence[ArtifactNumber]) -> list[ArtifactNumber]:
    """Return the order with the artifacts that the query names first, proposed or not."""
    return list(dict.fromkeys([*named, *order]))


def leg_winners(rankings: Sequence[Ranking]) -> list[ArtifactNumber]:
    """Return the top candidate of every leg that proposes."""
    return [
        ranking.candidates[0].artifact
        for ranking in rankings
        if ranking.candidates and ranking.leg is not LegName.RECENCY
    ]


def keep_leg_winners(
    order: Sequence[ArtifactNumber], rankings: Sequence[Ranking], first: int
) -> list[ArtifactNumber]:
    """Return the first artifacts of an order, with the top candidate of every leg among them.

    A winner that fell behind replaces the last ordinary one; winners never replace each other.
    """
    winners = set(leg_winners(rankings))
    kept = list(order[:first])
    for winner in (artifact for artifact in order[first:] if artifact in winners):
        place = _last_ordinary(kept, winners)
        if place is not None:
            del kept[place]
            kept.append(winner)
    return kept


def _last_ordinary(kept: Sequence[ArtifactNumber], winners: set[ArtifactNumber]) -> int | None:
    places = [place for place, artifact in enumerate(kept) if artifact not in winners]
    return places[-1] if len(places) > 1 or (places and places[0] > 0) else None


FOLD_DAYS = 180.0
_SECONDS_PER_DAY = 86_400.0


def recency(created_at: datetime, as_of: datetime) -> float:
    """Return exp(-age in days / 180), so that 180 days leave 1/e; a future artifact counts as new."""
    age = max((as_of - created_at).total_seconds(), 0.0) / _SECONDS_PER_DAY
    return exp(-age / FOLD_DAYS)


def rank_by_recency(created_at: Mapping[ArtifactNumber, datetime | None], as_of: datetime) -> Ranking:
    """Rank artifacts by their age at a moment, youngest first; one without a date has no place in it."""
    dated = ((artifact, moment) for artifact, moment in created_at.items() if moment is not None)
    scored = sorted((-recency(moment, as_of), artifact) for artifact, moment in dated)
    return Ranking(LegName.RECENCY, tuple(Candidate(artifact, -score) for score, artifact in scored))
