"""From fused candidates to the hits: which of them can be one, and which are. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from app.domain.recall import FusedCandidate, LegName, Ranking, RecallRequest
from app.services.analysis import is_one_name
from app.services.recall.annotation import annotate
from app.services.recall.fusion import keep_leg_winners, leg_winners
from app.services.recall.standing import Standings


def replacements_first(
    ordered: Sequence[FusedCandidate], replacement: Mapping[int, int]
) -> list[FusedCandidate]:
    """Put before each candidate what replaced it, and before that what replaced that.

    A replacement that no leg proposed joins with the score of what it replaced.
    """
    proposed = {candidate.artifact: candidate for candidate in ordered}
    placed: dict[int, FusedCandidate] = {}
    for candidate in ordered:
        for artifact in reversed(_upward(candidate.artifact, replacement)):
            if artifact not in placed:
                placed[artifact] = proposed.get(artifact, FusedCandidate(artifact, candidate.score, ()))
    return list(placed.values())


def truncate(
    placed: Sequence[FusedCandidate], replacement: Mapping[int, int], stays: Collection[int], first: int
) -> list[FusedCandidate]:
    """Return the first so many, after replacements joined.

    The last candidate that is neither the first, nor one that stays (a leg's winner, or named by the query),
    nor the replacement of one kept makes room; when there is none, the last of all does.
    """
    kept = list(placed)
    while len(kept) > first:
        held = {kept[0].artifact, *stays, *(replacement.get(candidate.artifact) for candidate in kept)}
        ordinary = [place for place, candidate in enumerate(kept) if candidate.artifact not in held]
        del kept[ordinary[-1] if ordinary else -1]
    return kept


def _upward(artifact: int, replacement: Mapping[int, int]) -> list[int]:
    """Return the artifact, what replaced it, what replaced that, and so on to the head."""
    chain = [artifact]
    while (above := replacement.get(chain[-1])) is not None and above not in chain:
        chain.append(above)
    return chain


def literal_name_winners(request: RecallRequest, rankings: Sequence[Ranking]) -> list[int]:
    """Return the best of the lexical leg where the query is one name: the encoder reads only its words."""
    if not is_one_name(request.query):
        return []
    return leg_winners([ranking for ranking in rankings if ranking.leg is LegName.LEXICAL])


def hit_pool(request: RecallRequest, rankings: Sequence[Ranking], order: Sequence[int]) -> Sequence[int]:
    """Return the candidates that can become hits: those in front, or all of them where flags decide."""
    return order if request.flags else keep_leg_winners(order, rankings, request.first)


def select_hits(
    request: RecallRequest,
    leading: Sequence[int],
    rankings: Sequence[Ranking],
    pool: Sequence[FusedCandidate],
    standings: Standings,
) -> list[FusedCandidate]:
    """Return the hits in their order: replacements before what they replaced, wanted flags only.

    `leading` are the artifacts that the query names: they stay whatever joins.
    """
    placed = replacements_first(pool, standings.replacement)
    if request.flags:
        wanted = [candidate for candidate in placed if _is_wanted(request, candidate, standings)]
        return wanted[: request.first]
    stays = [*leading, *leg_winners(rankings)]
    return truncate(placed, standings.replacement, stays, request.first)


def needs_more_candidates(
    request: RecallRequest, rankings: Sequence[Ranking], chosen: int, limit: int
) -> bool:
    """Return whether a leg may hold back hits of a wanted flag: former versions crowd out what is current."""
    proposing = (ranking for ranking in rankings if ranking.leg is not LegName.RECENCY)
    return (
        bool(request.flags)
        and chosen < request.first
        and any(len(ranking.candidates) >= limit for ranking in proposing)
    )


def _is_wanted(request: RecallRequest, candidate: FusedCandidate, standings: Standings) -> bool:
    standing = standings.by_artifact[candidate.artifact]
    return annotate(standing, prefer_wip=request.prefer_wip).flag in request.flags
