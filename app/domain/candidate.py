"""What extractors noticed and a person judges, once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from app.domain.artifact import Quote
from app.domain.temporal import rfc_3339


class CandidateStatus(StrEnum):
    """Whether a candidate waits, or what was decided about it."""

    PENDING = "PENDING"
    PROMOTED = "PROMOTED"
    REJECTED = "REJECTED"


@dataclass(frozen=True, slots=True)
class Review:
    """A decision about a candidate: what, by whom, when and why."""

    status: CandidateStatus
    actor: str
    at: datetime
    reason: str | None


@dataclass(frozen=True, slots=True)
class AliasCandidate:
    """A form that may mean an entity, with the words that say so; `review` is None while it waits."""

    id: UUID
    project: int
    surface_form: str
    entity: UUID
    quote: Quote
    artifact: UUID
    recorded_at: datetime
    review: Review | None


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """A value that a property of an entity may have, with the words that say so."""

    id: UUID
    project: int
    entity: UUID
    property: str
    value: Any
    quote: Quote
    artifact: UUID
    recorded_at: datetime
    review: Review | None


Candidate = AliasCandidate | FactCandidate


def status_of(candidate: Candidate) -> CandidateStatus:
    """Return whether a candidate waits, or what was decided about it."""
    return CandidateStatus.PENDING if candidate.review is None else candidate.review.status


def decision_told(review: Review) -> str:
    """Return who decided what about a candidate, and when, for a message."""
    return f"{review.actor} {review.status.lower()} this candidate at {rfc_3339(review.at)}"
