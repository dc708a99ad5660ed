"""What to bear in mind when reading an answer, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.domain.recall import Ranking, RecallRequest
from app.services.recall.confidence import DOUBT
from app.services.recall.packing import Packed


def advise(
    request: RecallRequest, rankings: Sequence[Ranking], confidence: float | None, packed: Packed
) -> tuple[str, ...]:
    """Answer the advisories of a recall."""
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
    if has_hits and confidence is not None and confidence < DOUBT:
        yield (
            f"nothing here seems to answer this (confidence {confidence:.2f}): take the hits for what lies"
            " nearest, not for an answer"
        )
    if packed.restated:
        yield f"{packed.restated} hits are left out, whose passages say what a better one says"
    if packed.beyond:
        yield f"tokenBudget {request.token_budget} leaves out {packed.beyond} hits; raise it to see them"
