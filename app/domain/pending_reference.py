"""Pending references: their target is missing or ambiguous."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.domain.entity import ReferenceType


@dataclass(frozen=True, slots=True)
class PendingReference:
    """A reference of `source` that is pending until its document's name `waits_for` can be resolved.

    `is_inverted` marks one that leads from the missing end to the source, such as `Superseded by`.
    """

    id: UUID
    source: UUID
    type: ReferenceType
    waits_for: str
    is_inverted: bool
    is_ambiguous: bool
    source_artifact: UUID
    valid_from: datetime
    recorded_at: datetime
