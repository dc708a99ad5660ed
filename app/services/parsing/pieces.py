"""Word pieces of a body, measured once and counted for any stretch of it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator

PieceOffsets = Callable[[str], list[tuple[int, int]]]
"""The model's own tokenizer: a text in, the start and end of each of its pieces out, in characters."""

_STRETCH = 200_000


class Pieces:
    """Where the pieces of a text start; asking is a binary search."""

    def __init__(self, text: str, piece_offsets: PieceOffsets) -> None:
        self._starts = array("q")
        for begin, end in _stretches(text):
            self._starts.extend(begin + start for start, _ in piece_offsets(text[begin:end]))

    def count(self, start: int, end: int) -> int:
        """Answer how many pieces start in a stretch of the text."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def reach(self, start: int, room: int, end: int) -> int:
        """Answer how far a stretch of at most this many pieces can go, up to the end."""
        at = bisect_left(self._starts, start) + room
        return min(end, self._starts[at]) if at < len(self._starts) else end


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Parts small enough to be measured without much memory, cut where no piece goes across."""
    start = 0
    while start < len(text):
        end = min(len(text), start + _STRETCH)
        if end < len(text):
            space = max(text.rfind("\n", start + 1, end), text.rfind(" ", start + 1, end))
            end = space if space > start else end
        yield start, end
        start = end
