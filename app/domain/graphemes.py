"""Places where a text may be cut without tearing what a reader sees as one character."""

from __future__ import annotations

import unicodedata

FARTHEST = 64

_JOINER = "\u200d"


def safe_cut(text: str, place: int) -> int:
    """Answer the nearest place at or before this one that tears no grapheme.

    Past 64 characters of one unbroken grapheme the place itself is answered: no reader sees that as one.
    """
    for candidate in range(place, max(0, place - FARTHEST) - 1, -1):
        if candidate in (0, len(text)) or not _continues(text, candidate):
            return candidate
    return place


def beginning(text: str, most: int) -> str:
    """Answer at most this many characters of the start of a text, cut where no grapheme is torn."""
    return text if len(text) <= most else text[: safe_cut(text, most)]


def _continues(text: str, place: int) -> bool:
    """Tell whether the character at the place belongs to the one before it."""
    after, before = text[place], text[place - 1]
    if after.isascii() and before.isascii():
        return False
    if before == _JOINER or after == _JOINER or unicodedata.category(after) in ("Mn", "Mc", "Me"):
        return True
    if _is_between(after, 0x1F3FB, 0x1F3FF):
        return True
    if _is_between(after, 0x1F1E6, 0x1F1FF):
        return _flags_before(text, place) % 2 == 1
    return _is_between(after, 0x1160, 0x11FF) and _is_between(before, 0x1100, 0xD7A3)


def _flags_before(text: str, place: int) -> int:
    """Two regional letters make one flag, so what counts is whether a pair is open."""
    start = place
    while start > max(0, place - FARTHEST) and _is_between(text[start - 1], 0x1F1E6, 0x1F1FF):
        start -= 1
    return place - start


def _is_between(character: str, first: int, last: int) -> bool:
    return first <= ord(character) <= last
