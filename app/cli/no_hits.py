"""Why a result holds nothing, and what to do about it."""

from __future__ import annotations

from app.cli.printing import moment_text
from app.domain.recall import RecallRequest, RecallResult


def why_nothing(request: RecallRequest, result: RecallResult) -> str:
    """Answer one line for a result without hits."""
    if request.first == 0:
        return "--first 0 asks for nothing"
    if any(ranking.problem for ranking in result.legs):
        return "the legs of recall that answered found nothing; ask again"
    if any(ranking.candidates for ranking in result.legs):
        return _left_out(request)
    if request.known_at is not None:
        return f"nothing that fits was known at {moment_text(result.known_at)}{_as_of(request, result)}"
    if request.as_of is not None:
        return f"nothing that fits existed at {moment_text(result.as_of)}"
    if request.kinds or request.domains:
        return "nothing of that kind or domain fits; ask in other words, or leave --kind and --domain out"
    return "nothing fits; ask in other words, or file something with `trigraph ingest PATH`"


def _left_out(request: RecallRequest) -> str:
    flags = " or ".join(request.flags).lower()
    if not flags:
        return "what fits is left out: raise --token-budget"
    budget = "" if request.token_budget is None else ", or larger than --token-budget"
    return f"what fits is not {flags}{budget}: leave --flag out to see it"


def _as_of(request: RecallRequest, result: RecallResult) -> str:
    return "" if request.as_of is None else f" to have existed at {moment_text(result.as_of)}"
