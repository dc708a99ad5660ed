"""Pages of long lists: their size and the position they follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from app.errors import Invalid

Item = TypeVar("Item")

MAX_ITEMS = 100


def require_size(first: int, most: int = MAX_ITEMS) -> int:
    """Return the size of a page unchanged; raise Invalid below 0 or above `most`."""
    if not 0 <= first <= most:
        raise Invalid(f"first must be from 0 to {most}, not {first}", field="first")
    return first


@dataclass(frozen=True, slots=True)
class Position:
    """The position of an item in a list sorted by instant and then by id."""

    at: datetime
    id: UUID


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request for the first items after a position, or from the start.

    Raises Invalid for a size out of bounds.
    """

    first: int
    after: Position | None = None

    def __post_init__(self) -> None:
        require_size(self.first)


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Some items in order, and whether more follow them."""

    items: tuple[Item, ...]
    has_next: bool

    @classmethod
    def cut(cls, items: Sequence[Item], first: int) -> Page[Item]:
        """Return the page of a list that was read with one item more than the page size."""
        return cls(tuple(items[:first]), len(items) > first)
