"""Fitting hits into a budget of tokens. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.recall import Hit


def pack(hits: Sequence[Hit], budget: int | None) -> tuple[tuple[Hit, ...], int]:
    """Answer the hits whose passages fit a budget, in order, and the tokens they use.

    A passage that no longer fits is passed over and a shorter one after it may still come in. Tokens
    are word pieces of the encoder. Without a budget every hit is kept.
    """
    kept: list[Hit] = []
    used = 0
    for hit in hits:
        if budget is None or used + hit.passage.tokens <= budget:
            kept.append(hit)
            used += hit.passage.tokens
    return tuple(kept), used
