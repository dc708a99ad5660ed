"""The input from which an alias is created."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.domain.entity import AuthorityTier


@dataclass(frozen=True, slots=True)
class StatedAlias:
    """A form, the entity it means, and the entity that was replaced, if the form was its name.

    Without `valid_from` it means the target from now on; without `tier` it has the caller's authority, and
    never a higher one.
    """

    surface_form: str
    target: UUID
    source: UUID | None = None
    source_artifact: UUID | None = None
    valid_from: datetime | None = None
    tier: AuthorityTier | None = None
