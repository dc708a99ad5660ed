"""Terms of a text with how often each occurs, in two texts: there may be a hundred thousand of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TermCounts:
    """The terms, one a line, and how often each occurs, between spaces and in the same order."""

    names: str
    counts: str

    @classmethod
    def of(cls, frequencies: Mapping[str, int]) -> TermCounts:
        """Return the counts of these terms."""
        return cls("\n".join(frequencies), " ".join(map(str, frequencies.values())))
