"""Spellings that look alike become alike: compatibility forms, accents, invisible characters."""

from __future__ import annotations

import re
import unicodedata

from app.domain.text import safe_cut, without_stacks

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
    """Return the text in NFKC without the characters nobody sees; takes time linear in its length."""
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
    """Return normalised text with its accents dropped and its case kept: Málaga gives Malaga."""
    if text.isascii():
        return text
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)


MAX_RUN_LENGTH = 1_024

_SCRIPTS = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u1100-\u11ff\uac00-\ud7a3"  # Hangul
    "\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Han
)
_RUN = re.compile(f"[{_SCRIPTS}][{_SCRIPTS}]{{0,{MAX_RUN_LENGTH - 1}}}")


def set_apart(text: str) -> str:
    """Return the text with a space on both sides of every run of these scripts.

    A run longer than 1,024 characters is cut, and the pair across the cut is lost.
    """
    return text if text.isascii() else _RUN.sub(r" \g<0> ", text)


def is_unspaced(text: str) -> bool:
    """Return whether the text begins in one of these scripts."""
    return _RUN.match(text) is not None


def neighbours(run: str) -> tuple[str, ...]:
    """Return every pair of neighbouring characters, in order."""
    return tuple(map(str.__add__, run, run[1:]))
