"""A page of a long list, and its length for those who ask."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from app.domain.page import Page

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Listing(Generic[Item]):
    """A page, and `count`, which answers how long the whole list is; only calling it costs a statement."""

    page: Page[Item]
    count: Callable[[], Awaitable[int]]
