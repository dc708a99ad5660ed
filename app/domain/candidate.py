"""Candidates: likely aliases and facts that extractors noticed and a person reviews once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from app.domain.artifact import Quote
from app.domain.numbers import ProjectNumber
from app.domain.temporal import rfc_3339


class CandidateStatus(StrEnum):
    """Whether a candidate is pending, or how it was reviewed."""

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
    """A form that may mean an entity, with its quote; `review` is None while the candidate is pending."""

    id: UUID
    project: ProjectNumber
    surface_form: str
    entity: UUID
    quote: Quote
    artifact: UUID
    recorded_at: datetime
    review: Review | None


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """A value that a property of an entity may have, with its quote."""

    id: UUID
    project: ProjectNumber
    entity: UUID
    property: str
    value: Any
    quote: Quote
    artifact: UUID
    recorded_at: datetime
    review: Review | None


Candidate = AliasCandidate | FactCandidate


def status_of(candidate: Candidate) -> CandidateStatus:
    """Return whether a candidate is pending, or how it was reviewed."""
    return CandidateStatus.PENDING if candidate.review is None else candidate.review.status


def describe_review(review: Review) -> str:
    """Return who decided what about a candidate, and when, for a message."""
    return f"{review.actor} {review.status.lower()} this candidate at {rfc_3339(review.at)}"
