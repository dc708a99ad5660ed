"""Select the hits among the fused candidates. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.domain.recall import FusedCandidate, Hit, LegName, Ranking, RecallRequest
from app.domain.text import fold
from app.services.recall.annotation import Standings, annotate
from app.services.recall.confidence import LOW_CONFIDENCE
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


SHINGLE = 3
RESTATED = 0.8

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Packed:
    """The hits that fit a budget, the sum of their tokens, and how many were left out.

    `restated` counts hits that repeat a better one; `beyond` counts those that did not fit.
    """

    hits: tuple[Hit, ...]
    tokens: int
    restated: int = 0
    beyond: int = 0


def pack(hits: Sequence[Hit], budget: int | None) -> Packed:
    """Return the best hits whose passages fit a budget together, without repetitions.

    The first passage that does not fit ends the list: lower hits are worth less, and a replaced hit must
    not appear without its replacement. Tokens are word pieces of the encoder.
    Without a budget every hit is kept.
    """
    if budget is None:
        return Packed(tuple(hits), sum(hit.passage.tokens for hit in hits))
    fresh = list(_fresh(hits))
    used = list(accumulate(hit.passage.tokens for hit in fresh))
    fitting = sum(tokens <= budget for tokens in used)
    return Packed(
        hits=tuple(fresh[:fitting]),
        tokens=used[fitting - 1] if fitting else 0,
        restated=len(hits) - len(fresh),
        beyond=len(fresh) - fitting,
    )


def _fresh(hits: Sequence[Hit]) -> Iterator[Hit]:
    """Yield the hits whose passages say something new, and those that replace another hit."""
    replacing = {hit.annotation.superseded_by for hit in hits}
    seen: list[set[str]] = []
    for hit in hits:
        shingles = _shingles(hit.passage.text)
        is_restated = any(len(shingles & better) >= RESTATED * len(shingles) for better in seen)
        replaced_another = hit.artifact.entity in replacing and not hit.annotation.superseded_by
        if not is_restated or replaced_another:
            seen.append(shingles)
            yield hit


def _shingles(text: str) -> set[str]:
    """Return every three neighbouring words of a text, or all words if there are fewer."""
    words = _WORD.findall(fold(text))
    last = max(len(words) - SHINGLE, 0)
    return {" ".join(words[start : start + SHINGLE]) for start in range(last + 1)}


def advise(
    request: RecallRequest, rankings: Sequence[Ranking], confidence: float | None, packed: Packed
) -> tuple[str, ...]:
    """Return the advisories of a recall."""
    return tuple(_advisories(request, rankings, confidence, packed))


def _advisories(
    request: RecallRequest, rankings: Sequence[Ranking], confidence: float | None, packed: Packed
) -> Iterator[str]:
    for ranking in rankings:
        if ranking.problem:
            yield f"{ranking.leg} did not respond: {ranking.problem}"
    has_hits = packed.hits or packed.beyond
    if request.flags and not has_hits and any(ranking.candidates for ranking in rankings):
        yield f"no match is {' or '.join(request.flags)}; leave flags out to see the matches"
    if has_hits and confidence is not None and confidence < LOW_CONFIDENCE:
        yield (
            f"probably no hit answers this question (confidence {confidence:.2f}); the hits"
            " are only the nearest documents"
        )
    if packed.restated:
        yield f"{packed.restated} hits are left out because a better hit says the same"
    if packed.beyond:
        yield f"tokenBudget {request.token_budget} leaves out {packed.beyond} hits; raise it to see them"
