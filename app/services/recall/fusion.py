"""Rank fusion: merge rankings into one order, and keep the contribution of every leg. Pure.

Reciprocal rank fusion after Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet
and individual Rank Learning Methods" (SIGIR 2009): a candidate scores the sum of weight / (constant + rank).
The paper's constant is 60; a small one gives more weight to the first ranks (ADR-0021).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.domain.recall import FusedCandidate, LegContribution, LegName, Ranking

RANK_CONSTANT = 2
PLAIN_RANK_CONSTANT = 60
RECENCY_BOUND = 0.02

RecencyRule = Literal["bounded", "literal"]


@dataclass(frozen=True, slots=True)
class Fusion:
    """Artifacts in the order of their fused scores, and what every ranking contributed to each."""

    order: tuple[int, ...]
    scores: Mapping[int, float]
    shares: tuple[Callable[[int], LegContribution | None], ...]

    def candidate(self, artifact: int) -> FusedCandidate:
        """Return an artifact with the contribution of each leg that proposed it, if any did."""
        found = (share(artifact) for share in self.shares)
        contributions = tuple(share for share in found if share is not None)
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
    proposing = [ranking for ranking in rankings if ranking.leg is not LegName.RECENCY]
    ages = [ranking for ranking in rankings if ranking.leg is LegName.RECENCY]
    given: dict[int, float] = defaultdict(float)
    for ranking in proposing:
        for rank, candidate in enumerate(ranking.candidates, start=1):
            given[candidate.artifact] += ranking.weight / (constant + rank)
    bound = None if recency == "literal" else recency_bound
    scores = dict(given)
    for ranking in ages:
        for candidate in ranking.candidates:
            if candidate.artifact in given:
                scores[candidate.artifact] += given[candidate.artifact] * _change(candidate.score, bound)
    return Fusion(
        # Sorted by number first: equal scores keep that order.
        order=tuple(sorted(sorted(scores), key=scores.__getitem__, reverse=True)),
        scores=scores,
        shares=(
            *(_shares(ranking, constant) for ranking in proposing),
            *(_changes(ranking, given, bound) for ranking in ages),
        ),
    )


def fuse_plainly(rankings: Sequence[Ranking]) -> Fusion:
    """Merge rankings as the paper does: equal weights, no recency, and the constant 60."""
    alike = [replace(ranking, weight=1.0) for ranking in rankings]
    return fuse(alike, constant=PLAIN_RANK_CONSTANT, recency_bound=0.0)


def _change(age: float, bound: float | None) -> float:
    """Return the fraction by which an age changes a score."""
    return age - 1 if bound is None else bound * (2 * age - 1)


def _shares(ranking: Ranking, constant: float) -> Callable[[int], LegContribution | None]:
    """Return a function from an artifact to the contribution that a leg gave it."""
    places = _places(ranking)

    def share(artifact: int) -> LegContribution | None:
        if artifact not in places:
            return None
        rank, score = places[artifact]
        return LegContribution(ranking.leg, rank, score, ranking.weight / (constant + rank))

    return share


def _changes(
    ranking: Ranking, given: Mapping[int, float], bound: float | None
) -> Callable[[int], LegContribution | None]:
    """Return a function from an artifact to the change of its score by its age."""
    places = _places(ranking)

    def change(artifact: int) -> LegContribution | None:
        if artifact not in places or artifact not in given:
            return None
        rank, age = places[artifact]
        return LegContribution(ranking.leg, rank, age, given[artifact] * _change(age, bound))

    return change


def _places(ranking: Ranking) -> dict[int, tuple[int, float]]:
    return {
        candidate.artifact: (rank, candidate.score)
        for rank, candidate in enumerate(ranking.candidates, start=1)
    }


def put_first(order: Sequence[int], named: Sequence[int]) -> list[int]:
    """Return the order with the artifacts that the query names first, proposed or not."""
    return list(dict.fromkeys([*named, *order]))


def leg_winners(rankings: Sequence[Ranking]) -> list[int]:
    """Return the top candidate of every leg that proposes."""
    return [
        ranking.candidates[0].artifact
        for ranking in rankings
        if ranking.candidates and ranking.leg is not LegName.RECENCY
    ]


def keep_leg_winners(order: Sequence[int], rankings: Sequence[Ranking], first: int) -> list[int]:
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


def _last_ordinary(kept: Sequence[int], winners: set[int]) -> int | None:
    places = [place for place, artifact in enumerate(kept) if artifact not in winners]
    return places[-1] if len(places) > 1 or (places and places[0] > 0) else None
