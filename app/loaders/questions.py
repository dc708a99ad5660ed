"""What may be asked about an entity; an absent time means now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.entity import Direction, ReferenceType
from app.domain.page import PageRequest, require_size
from app.errors import Invalid

DEEPEST_WALK = 3


@dataclass(frozen=True, slots=True)
class StateQuestion:
    """Which state holds?"""

    as_of: datetime | None = None
    known_at: datetime | None = None
    prefer_wip: bool = False


@dataclass(frozen=True, slots=True)
class HistoryQuestion:
    """Which states were there, all times together?"""

    known_at: datetime | None
    page: PageRequest


@dataclass(frozen=True, slots=True)
class ReferenceQuestion:
    """Which references hold, in a direction and of a type?"""

    direction: Direction
    type: ReferenceType | None
    as_of: datetime | None
    page: PageRequest


@dataclass(frozen=True, slots=True)
class NeighbourQuestion:
    """Which entities are at most so many references away, the nearest `first`?

    Raises Invalid for a depth or a number out of bounds.
    """

    depth: int
    as_of: datetime | None
    first: int

    def __post_init__(self) -> None:
        require_size(self.first)
        if not 1 <= self.depth <= DEEPEST_WALK:
            raise Invalid(f"depth is from 1 to {DEEPEST_WALK}, not {self.depth}", field="depth")
