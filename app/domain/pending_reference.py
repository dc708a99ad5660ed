"""References that a document makes to what is not there yet, or to what could be several things."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.domain.entity import ReferenceType


@dataclass(frozen=True, slots=True)
class PendingReference:
    """A reference of `source` that waits for what its document calls `waits_for`.

    `is_inverted` marks one that leads from what is waited for to the source, as `Superseded by` says.
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
