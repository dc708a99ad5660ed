"""Fitting hits into a budget of tokens. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from app.domain.recall import Hit


def pack(hits: Sequence[Hit], budget: int | None) -> tuple[tuple[Hit, ...], int]:
    """Answer the best hits whose passages fit a budget together, and the tokens they use.

    The first passage that no longer fits ends the list: what stands lower is worth less, and a hit that
    was replaced may not be there without what replaced it. Tokens are word pieces of the encoder.
    Without a budget every hit is kept.
    """
    used = list(accumulate(hit.passage.tokens for hit in hits))
    fitting = len(hits) if budget is None else sum(tokens <= budget for tokens in used)
    return tuple(hits[:fitting]), used[fitting - 1] if fitting else 0
