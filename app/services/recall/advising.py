"""What to bear in mind when reading an answer, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.domain.recall import Ranking, RecallRequest
from app.services.recall.confidence import DOUBT


def advise(
    request: RecallRequest, rankings: Sequence[Ranking], confidence: float | None, found: int, packed: int
) -> tuple[str, ...]:
    """Answer the advisories of a recall that found so many hits and packed so many of them."""
    return tuple(_advisories(request, rankings, confidence, found, packed))


def _advisories(
    request: RecallRequest, rankings: Sequence[Ranking], confidence: float | None, found: int, packed: int
) -> Iterator[str]:
    for ranking in rankings:
        if ranking.problem:
            yield f"{ranking.leg} did not answer: {ranking.problem}"
    if found and confidence is not None and confidence < DOUBT:
        yield (
            f"nothing here seems to answer this (confidence {confidence:.2f}): take the hits for what lies"
            " nearest, not for an answer"
        )
    if found > packed:
        yield f"tokenBudget {request.token_budget} leaves out {found - packed} hits; raise it to see them"
