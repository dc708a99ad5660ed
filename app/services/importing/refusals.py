"""Bounds on what is refused: how much is listed, and when a file is given up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from app.services.importing.item import Refusal

MAX_LISTED = 10_000
"""So many refusals of an import are listed; the others are counted."""

MAX_IN_A_ROW = 1_000
"""After so many rows that are none, one after the other, the rest of a file is not read."""

Something = TypeVar("Something")


def until_hopeless(source: str, items: Iterator[Something | Refusal]) -> Iterator[Something | Refusal]:
    """Yield what a file's rows are, and one refusal more where nothing else comes for too long."""
    in_a_row = 0
    for item in items:
        yield item
        in_a_row = in_a_row + 1 if isinstance(item, Refusal) else 0
        if in_a_row == MAX_IN_A_ROW:
            reason = (
                f"{MAX_IN_A_ROW} rows in a row are refused; the rest of the file is not read: mend it first"
            )
            yield Refusal(source, reason)
            return


class RefusedRows:
    """The refusals of files that tell of documents: the first ones, and how many more there are."""

    def __init__(self) -> None:
        self._listed: list[Refusal] = []
        self._beyond = 0

    def add(self, refusal: Refusal) -> None:
        """List a refusal, or count it."""
        if len(self._listed) < MAX_LISTED:
            self._listed.append(refusal)
        else:
            self._beyond += 1

    def all(self) -> list[Refusal]:
        """Return the refusals, the last one telling of those that are not listed."""
        more = [Refusal("rows", f"{self._beyond} more rows are refused")] if self._beyond else []
        return [*self._listed, *more]
