"""Fit hits into a token budget, and write the advisories of a recall. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.domain.recall import Hit, Ranking, RecallRequest
from app.domain.text import fold
from app.services.recall.confidence import LOW_CONFIDENCE

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
            yield f"{ranking.leg} did not answer: {ranking.problem}"
    has_hits = packed.hits or packed.beyond
    if request.flags and not has_hits and any(ranking.candidates for ranking in rankings):
        yield f"what fits is not {' or '.join(request.flags)}: leave flags out to see it"
    if has_hits and confidence is not None and confidence < LOW_CONFIDENCE:
        yield (
            f"nothing here seems to answer this (confidence {confidence:.2f}): take the hits for what lies"
            " nearest, not for an answer"
        )
    if packed.restated:
        yield f"{packed.restated} hits are left out, whose passages say what a better one says"
    if packed.beyond:
        yield f"tokenBudget {request.token_budget} leaves out {packed.beyond} hits; raise it to see them"
