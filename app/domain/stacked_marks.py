"""Accents and vowel signs, and letters that carry more of them than any writing system stacks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

# Vowel signs and accents stand inside words, but the expression \w leaves them out. Beyond the basic
# plane only scripts of the past have them, and asking for those would slow the search threefold.
MARKS = "".join(sign for sign in map(chr, range(0x300, 0xFE30)) if unicodedata.category(sign)[0] == "M")


def without_stacks(text: str) -> str:
    """Return the text with at most thirty marks in a row.

    Normalisation sorts the marks of one letter in quadratic time; no writing system stacks thirty.
    """
    return _stacked(max(text, default="") > "\uffff").sub(r"\1", text)


@cache
def _stacked(beyond_the_basic_plane: bool) -> re.Pattern[str]:
    marks = MARKS + "".join(_astral_marks() if beyond_the_basic_plane else ())
    return re.compile(f"([{marks}][{marks}]{{29}})[{marks}]+")


def _astral_marks() -> Iterator[str]:
    return (sign for sign in map(chr, range(0x10000, 0x1F000)) if unicodedata.combining(sign))
