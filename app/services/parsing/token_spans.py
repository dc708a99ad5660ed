"""Counting word pieces in any stretch of a text, and splitting stretches that have too many."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator

from app.domain.text import safe_cut

PieceOffsets = Callable[[str], list[tuple[int, int]]]
"""The model's own tokenizer: a text in, the start and end of each of its pieces out, in characters."""

_STRETCH = 200_000


class Pieces:
    """The start offsets of the pieces of a text; each lookup is a binary search."""

    def __init__(self, text: str, piece_offsets: PieceOffsets) -> None:
        self._starts = array("q")
        for begin, end in _stretches(text):
            self._starts.extend(begin + start for start, _ in piece_offsets(text[begin:end]))

    def count(self, start: int, end: int) -> int:
        """Return how many pieces start in a stretch of the text."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def reach(self, start: int, room: int, end: int) -> int:
        """Return how far a stretch of at most this many pieces can go, up to the end."""
        at = bisect_left(self._starts, start) + room
        return min(end, self._starts[at]) if at < len(self._starts) else end


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Yield parts small enough to tokenize in little memory, cut where no piece crosses."""
    start = 0
    while start < len(text):
        end = min(len(text), start + _STRETCH)
        if end < len(text):
            space = max(text.rfind("\n", start + 1, end), text.rfind(" ", start + 1, end))
            end = space if space > start else end
        yield start, end
        start = end


MAX_TEXT_LENGTH = 4_096
"""No passage is longer than this in characters, however few pieces a tokenizer makes of it."""

Stretch = tuple[int, int]

_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s)|[。！？]|\n")


def split_stretch(
    text: str, pieces: Pieces, stretch: Stretch, room: int, piece_offsets: PieceOffsets
) -> Iterator[Stretch]:
    """Yield stretches of at most `room` pieces that together hold every character of this one."""
    start, end = stretch
    while start < end:
        reach = min(pieces.reach(start, room, end), start + MAX_TEXT_LENGTH)
        cut = reach if reach >= end else _cut(text, start, reach)
        if tears_word(text, start) or (cut != end and tears_word(text, cut)):
            cut = _measured_cut(text, start, cut, room, piece_offsets)
        yield start, cut
        start = cut


def _cut(text: str, start: int, reach: int) -> int:
    """Return where to cut: after a sentence in the second half, after a word, or at the limit."""
    middle = start + (reach - start) // 2
    ends = [match.end() for match in _SENTENCE_END.finditer(text, middle, reach)]
    if ends:
        return ends[-1]
    word = next((place for place in range(reach, start, -1) if text[place - 1].isspace()), start)
    if text[start:word].strip():
        return word
    place = safe_cut(text, reach)
    return place if place > start else reach


def tears_word(text: str, place: int) -> bool:
    """Return whether a cut at this place has no white space on either side."""
    inside = 0 < place < len(text)
    return inside and not text[place - 1].isspace() and not text[place].isspace()


def _measured_cut(text: str, start: int, cut: int, room: int, piece_offsets: PieceOffsets) -> int:
    """Return a nearer cut where the part of a torn word has more pieces alone than inside the word."""
    offsets = piece_offsets(text[start:cut])
    while len(offsets) > room:
        nearer = safe_cut(text, start + offsets[room][0])
        cut = nearer if start < nearer < cut else start + max(1, (cut - start) // 2)
        offsets = piece_offsets(text[start:cut])
    return cut
