"""Select the hits among the fused candidates. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from uuid import UUID

from app.domain.numbers import ArtifactNumber
from app.domain.recall import FusedCandidate, Hit, LegName, Ranking, RecallRequest, StateFlag
from app.domain.text import fold
from app.services.recall.annotation import Standings, own_flag
from app.services.recall.confidence import LOW_CONFIDENCE
from app.services.recall.fusion import keep_leg_winners, leg_winners

LEG_WINNERS_WITHIN = 10
"""The top candidate of every leg stands among so many hits."""


def heads_beside(
    ordered: Sequence[ArtifactNumber],
    replacement: Mapping[ArtifactNumber, ArtifactNumber],
    identified: Container[ArtifactNumber] = (),
) -> list[ArtifactNumber]:
    """Return the candidates with the head of each chain of replacements right above what it replaced.

    The steps between stand where they stood. A document that the query names by its identifier (one of
    `identified`) stands first, its head right below.
    """
    placed: dict[ArtifactNumber, None] = {}
    for artifact in ordered:
        pair = (artifact, head_of(artifact, replacement))
        for each in pair if artifact in identified else reversed(pair):
            placed.setdefault(each)
    return list(placed)


def head_of(artifact: ArtifactNumber, replacement: Mapping[ArtifactNumber, ArtifactNumber]) -> ArtifactNumber:
    """Return the artifact at the end of a chain of replacements, which nothing replaced."""
    seen = {artifact}
    while (above := replacement.get(artifact)) is not None and above not in seen:
        artifact = above
        seen.add(above)
    return artifact


def with_inherited_scores(
    candidates: Sequence[FusedCandidate],
    scores: Mapping[ArtifactNumber, float],
    replacement: Mapping[ArtifactNumber, ArtifactNumber],
) -> list[FusedCandidate]:
    """Return the candidates; a head that no leg proposed has the best score of those that it replaced."""
    inherited: dict[ArtifactNumber, float] = defaultdict(float)
    for artifact, score in scores.items():
        head = head_of(artifact, replacement)
        inherited[head] = max(inherited[head], score)
    return [
        each if each.artifact in scores else replace(each, score=inherited[each.artifact])
        for each in candidates
    ]


def winners_within(
    placed: Sequence[ArtifactNumber],
    replacement: Mapping[ArtifactNumber, ArtifactNumber],
    stays: Collection[ArtifactNumber],
    size: int,
) -> list[ArtifactNumber]:
    """Return the artifacts with those of `stays` among the first ones, and what made room for them behind.

    The last ordinary artifacts make room: not the first of all, not one of `stays`, and not the head of one
    kept or coming.
    """
    kept = list(placed[:size])
    for winner in (artifact for artifact in placed[size:] if artifact in stays):
        coming = [each for each in dict.fromkeys((head_of(winner, replacement), winner)) if each not in kept]
        heads = (head_of(artifact, replacement) for artifact in (*kept, winner) if artifact in replacement)
        held = {kept[0], *stays, *heads}
        ordinary = [artifact for artifact in kept if artifact not in held]
        if len(ordinary) >= len(coming):
            leaving = ordinary[len(ordinary) - len(coming) :]
            kept = [*(artifact for artifact in kept if artifact not in leaving), *coming]
    return [*kept, *(artifact for artifact in placed if artifact not in set(kept))]


def literal_name_winners(rankings: Sequence[Ranking], *, is_one_name: bool) -> list[ArtifactNumber]:
    """Return the winner of the lexical leg if the query is one name: the encoder reads only its words."""
    if not is_one_name:
        return []
    return leg_winners([ranking for ranking in rankings if ranking.leg is LegName.LEXICAL])


def hit_order(rankings: Sequence[Ranking], order: Sequence[ArtifactNumber]) -> Sequence[ArtifactNumber]:
    """Return all candidates in an order that does not depend on how many hits are asked for."""
    first = keep_leg_winners(order, rankings, LEG_WINNERS_WITHIN)
    kept = set(first)
    return [*first, *(artifact for artifact in order if artifact not in kept)]


def spare_versions(
    ordered: Sequence[ArtifactNumber], standings: Standings, stays: Collection[ArtifactNumber]
) -> set[ArtifactNumber]:
    """Return the former versions of a document that fit less than another version of it, without `stays`."""
    seen: set[UUID] = set()
    spare = set()
    for artifact in ordered:
        entity = standings.by_artifact[artifact].entity
        if entity in seen and artifact in standings.replacement and artifact not in stays:
            spare.add(artifact)
        seen.add(entity)
    return spare


@dataclass(frozen=True, slots=True)
class Selection:
    """The hits in order; after the first `fitting` come versions of documents that are there already."""

    hits: Sequence[ArtifactNumber]
    fitting: int


def select_hits(
    request: RecallRequest,
    identified: Sequence[ArtifactNumber],
    rankings: Sequence[Ranking],
    pool: Sequence[ArtifactNumber],
    standings: Standings,
) -> Selection:
    """Return the hits in order: the heads of chains beside what they replaced, and wanted flags only.

    `identified` are the artifacts that the query names by their identifiers. Of the versions of a document
    the newest and the best fitting stand where they fit; the others take the places that nothing else takes,
    unless former documents are asked for. Fewer hits are the first ones of more.
    """
    stays = [*identified, *leg_winners(rankings)]
    spare = set() if StateFlag.HISTORICAL in request.flags else spare_versions(pool, standings, set(stays))
    fitting = [artifact for artifact in pool if artifact not in spare]
    placed = heads_beside(fitting, standings.replacement, identified)
    first = winners_within(placed, standings.replacement, stays, LEG_WINNERS_WITHIN)
    kept = set(first)
    ordered = [*first, *(artifact for artifact in pool if artifact not in kept)]
    if request.flags:
        ordered = [artifact for artifact in ordered if _is_wanted(request, artifact, standings)]
    hits = ordered[: request.first]
    return Selection(hits, sum(artifact in kept for artifact in hits))


def needs_more_candidates(
    request: RecallRequest, rankings: Sequence[Ranking], fitting: int, limit: int
) -> bool:
    """Return whether a larger limit may find more hits: old versions crowd out what fits less."""
    proposing = (ranking for ranking in rankings if ranking.leg is not LegName.RECENCY)
    return fitting < request.first and any(len(ranking.candidates) >= limit for ranking in proposing)


def _is_wanted(request: RecallRequest, artifact: ArtifactNumber, standings: Standings) -> bool:
    standing = standings.by_artifact[artifact]
    return own_flag(standing, prefer_wip=request.prefer_wip) in request.flags


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
