"""Fitting hits into a budget of tokens. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.domain.recall import Hit
from app.domain.surface_form import fold

SHINGLE = 3
RESTATED = 0.8

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Packed:
    """The hits that fit a budget, their tokens together, and what was left out.

    `restated` counts hits that say what a better one says; `beyond` those that no longer fitted.
    """

    hits: tuple[Hit, ...]
    tokens: int
    restated: int = 0
    beyond: int = 0


def pack(hits: Sequence[Hit], budget: int | None) -> Packed:
    """Answer the best hits whose passages fit a budget together, none of which says the same again.

    The first passage that no longer fits ends the list: what stands lower is worth less, and a hit that
    was replaced may not be there without what replaced it. Tokens are word pieces of the encoder.
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
    """Answer the hits whose passages say something new, and those that another hit was replaced by."""
    replacing = {hit.annotation.superseded_by for hit in hits}
    told: list[set[str]] = []
    for hit in hits:
        shingles = _shingles(hit.passage.text)
        is_restated = any(len(shingles & better) >= RESTATED * len(shingles) for better in told)
        replaced_another = hit.artifact.entity in replacing and not hit.annotation.superseded_by
        if not is_restated or replaced_another:
            told.append(shingles)
            yield hit


def _shingles(text: str) -> set[str]:
    """Answer every three neighbouring words of a text, or all of them where there are fewer."""
    words = _WORD.findall(fold(text))
    last = max(len(words) - SHINGLE, 0)
    return {" ".join(words[start : start + SHINGLE]) for start in range(last + 1)}
