"""One block cut into stretches that fit: at sentence ends, else at words, else between pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.domain.graphemes import safe_cut
from app.services.parsing.pieces import PieceOffsets, Pieces

LONGEST_TEXT = 4_096
"""No passage is longer than this in characters, however few pieces a tokenizer makes of it."""

Stretch = tuple[int, int]

_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s)|[。！？]|\n")


def split_stretch(
    text: str, pieces: Pieces, stretch: Stretch, room: int, piece_offsets: PieceOffsets
) -> Iterator[Stretch]:
    """Answer stretches of at most `room` pieces that together hold every character of this one."""
    start, end = stretch
    while start < end:
        reach = min(pieces.reach(start, room, end), start + LONGEST_TEXT)
        cut = reach if reach >= end else _cut(text, start, reach)
        if tears_word(text, start) or (cut != end and tears_word(text, cut)):
            cut = _measured_cut(text, start, cut, room, piece_offsets)
        yield start, cut
        start = cut


def _cut(text: str, start: int, reach: int) -> int:
    """A sentence end counts from the middle on, so that passages stay of a useful length."""
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
    """Tell whether a cut at this place has no white space on either side."""
    inside = 0 < place < len(text)
    return inside and not text[place - 1].isspace() and not text[place].isspace()


def _measured_cut(text: str, start: int, cut: int, room: int, piece_offsets: PieceOffsets) -> int:
    """A part of a word can make more pieces than it did inside the word: measure it alone and give way."""
    offsets = piece_offsets(text[start:cut])
    while len(offsets) > room:
        nearer = safe_cut(text, start + offsets[room][0])
        cut = nearer if start < nearer < cut else start + max(1, (cut - start) // 2)
        offsets = piece_offsets(text[start:cut])
    return cut
