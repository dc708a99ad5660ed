"""Select the hits among the fused candidates. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from app.domain.recall import FusedCandidate, LegName, Ranking, RecallRequest
from app.services.recall.annotation import Standings, annotate
from app.services.recall.fusion import keep_leg_winners, leg_winners


def replacements_first(
    ordered: Sequence[FusedCandidate], replacement: Mapping[int, int]
) -> list[FusedCandidate]:
    """Return the candidates with the replacement of each, and its own replacements, before it.

    A replacement that no leg proposed gets the score of the candidate it replaced.
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
    """Return the first candidates after replacements were added.

    The last ordinary candidate is removed: not the first of all, not one of `stays` (a leg's winner, or named
    by the query), and not the replacement of one kept; if there is none, the last of all is removed.
    """
    kept = list(placed)
    while len(kept) > first:
        held = {kept[0].artifact, *stays, *(replacement.get(candidate.artifact) for candidate in kept)}
        ordinary = [place for place, candidate in enumerate(kept) if candidate.artifact not in held]
        del kept[ordinary[-1] if ordinary else -1]
    return kept


def _upward(artifact: int, replacement: Mapping[int, int]) -> list[int]:
    """Return the artifact and the chain of its replacements, up to the one that nothing replaced."""
    chain = [artifact]
    while (above := replacement.get(chain[-1])) is not None and above not in chain:
        chain.append(above)
    return chain


def literal_name_winners(rankings: Sequence[Ranking], *, is_one_name: bool) -> list[int]:
    """Return the winner of the lexical leg if the query is one name: the encoder reads only its words."""
    if not is_one_name:
        return []
    return leg_winners([ranking for ranking in rankings if ranking.leg is LegName.LEXICAL])


def hit_pool(request: RecallRequest, rankings: Sequence[Ranking], order: Sequence[int]) -> Sequence[int]:
    """Return the candidates that can become hits: the first ones, or all if flags filter them."""
    return order if request.flags else keep_leg_winners(order, rankings, request.first)


def select_hits(
    request: RecallRequest,
    leading: Sequence[int],
    rankings: Sequence[Ranking],
    pool: Sequence[FusedCandidate],
    standings: Standings,
) -> list[FusedCandidate]:
    """Return the hits in order: replacements before what they replaced, and wanted flags only.

    `leading` are the artifacts that the query names: they are never removed.
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
    """Return whether a larger limit may find more hits of a wanted flag: old versions crowd out new ones."""
    proposing = (ranking for ranking in rankings if ranking.leg is not LegName.RECENCY)
    return (
        bool(request.flags)
        and chosen < request.first
        and any(len(ranking.candidates) >= limit for ranking in proposing)
    )


def _is_wanted(request: RecallRequest, candidate: FusedCandidate, standings: Standings) -> bool:
    standing = standings.by_artifact[candidate.artifact]
    return annotate(standing, prefer_wip=request.prefer_wip).flag in request.flags
