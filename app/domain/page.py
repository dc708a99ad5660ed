"""Pages of long lists: their size, their direction and the position they follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from string import ascii_lowercase, ascii_uppercase
from typing import Generic, TypeVar
from uuid import UUID

from app.errors import Invalid

Item = TypeVar("Item")

MAX_ITEMS = 100


def require_size(size: int, most: int = MAX_ITEMS, field: str = "first") -> int:
    """Return the size of a page unchanged; raise Invalid below 0 or above `most`."""
    if not 0 <= size <= most:
        raise Invalid(f"{field} must be from 0 to {most}, not {size}", field=field)
    return size


@dataclass(frozen=True, slots=True)
class Position:
    """The position of an item in a list sorted by an instant, or by a text, and then by id."""

    at: datetime | str
    id: UUID


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request for the first items of a list, or the last ones, from a position on or from the end.

    `sort` names what the list is sorted by, and `is_reversed` is true if not in the natural direction of the
    list. Raises Invalid for a size out of bounds.
    """

    size: int
    start: Position | None = None
    is_backward: bool = False
    sort: str = ""
    is_reversed: bool = False

    def __post_init__(self) -> None:
        require_size(self.size, field="last" if self.is_backward else "first")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Some items in the order of their list, and whether there are others before and after them."""

    items: tuple[Item, ...] = ()
    has_next: bool = False
    has_previous: bool = False

    @classmethod
    def cut(cls, items: Sequence[Item], asked: PageRequest) -> Page[Item]:
        """Return the page of items that were read in the direction of the request, one more than asked."""
        found, has_more = tuple(items[: asked.size]), len(items) > asked.size
        has_passed = asked.start is not None
        if asked.is_backward:
            return cls(found[::-1], has_next=has_passed, has_previous=has_more)
        return cls(found, has_next=has_more, has_previous=has_passed)


MAX_SORT_TEXT = 64
_ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def sort_text(text: str) -> str:
    """Return what a list sorted by a text compares: its start, with the letters A to Z as small ones."""
    return text.translate(_ASCII_LOWER)[:MAX_SORT_TEXT]
