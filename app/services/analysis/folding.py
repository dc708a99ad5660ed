"""Spellings that look alike become alike: compatibility forms, accents, invisible characters."""

from __future__ import annotations

import re
import unicodedata

from app.domain.graphemes import safe_cut
from app.domain.stacked_marks import without_stacks

_INVISIBLE = re.compile("[\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]")
_PIECE = 1_024
# Accents, and the Hebrew points and Arabic vowels that writers leave out at will.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]")
_LETTERS = str.maketrans(
    {
        "\u2010": "-",
        "\u2012": "-",
        "\u2013": "-",
        "\u2212": "-",
        "\u2019": "'",
        "\u02bc": "'",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ı": "i",
    }
)


def normalise(text: str) -> str:
    """Answer the text in NFKC without the characters nobody sees; takes time linear in its length."""
    if text.isascii():
        return text
    visible = without_stacks(_INVISIBLE.sub("", text))
    return unicodedata.normalize("NFKC", visible)


def normalise_beginning(text: str, most: int) -> str:
    """Return at most this many characters of a normalised text; reads no more of it than these come from.

    A few characters become eighteen, so that the beginning is normalised piece by piece.
    """
    pieces: list[str] = []
    start = count = 0
    while start < len(text) and count < most:
        end = safe_cut(text, min(start + _PIECE, len(text)))
        pieces.append(normalise(text[start:end]))
        count += len(pieces[-1])
        start = end
    return "".join(pieces)[:most]


def fold_accents(text: str) -> str:
    """Answer normalised text with its accents dropped and its case kept: Málaga gives Malaga."""
    if text.isascii():
        return text
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)
