"""From fused candidates to the hits: which of them can be one, and which are. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.recall import FusedCandidate, LegName, Ranking, RecallRequest
from app.services.analysis import is_one_name
from app.services.annotation import annotate
from app.services.fusion import keep_leg_winners, leg_winners
from app.services.recall.ordering import cut, replacements_first
from app.services.recall.standings import Standings


def as_written(request: RecallRequest, rankings: Sequence[Ranking]) -> list[int]:
    """Answer the best of the lexical leg where the query is one name: the encoder reads only its words."""
    if not is_one_name(request.query):
        return []
    return leg_winners([ranking for ranking in rankings if ranking.leg is LegName.LEXICAL])


def pool_of(request: RecallRequest, rankings: Sequence[Ranking], order: Sequence[int]) -> Sequence[int]:
    """Answer the candidates that can become hits: those in front, or all of them where flags decide."""
    return order if request.flags else keep_leg_winners(order, rankings, request.first)


def choose(
    request: RecallRequest,
    leading: Sequence[int],
    rankings: Sequence[Ranking],
    pool: Sequence[FusedCandidate],
    standings: Standings,
) -> list[FusedCandidate]:
    """Answer the hits in their order: replacements before what they replaced, wanted flags only.

    `leading` are the artifacts that the query names: they stay whatever joins.
    """
    placed = replacements_first(pool, standings.replacement)
    if request.flags:
        wanted = [candidate for candidate in placed if _is_wanted(request, candidate, standings)]
        return wanted[: request.first]
    stays = [*leading, *leg_winners(rankings)]
    return cut(placed, standings.replacement, stays, request.first)


def runs_short(request: RecallRequest, rankings: Sequence[Ranking], chosen: int, limit: int) -> bool:
    """Tell whether a leg may hold back hits of a wanted flag: former versions crowd out what is current."""
    proposing = (ranking for ranking in rankings if ranking.leg is not LegName.RECENCY)
    return (
        bool(request.flags)
        and chosen < request.first
        and any(len(ranking.candidates) >= limit for ranking in proposing)
    )


def _is_wanted(request: RecallRequest, candidate: FusedCandidate, standings: Standings) -> bool:
    standing = standings.by_artifact[candidate.artifact]
    return annotate(standing, prefer_wip=request.prefer_wip).flag in request.flags
