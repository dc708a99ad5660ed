"""Accents and vowel signs, and letters that carry more of them than any writing system stacks."""

from __future__ import annotations

import re
import unicodedata

# Vowel signs and accents stand inside words, but the expression \w leaves them out. Beyond the basic
# plane only scripts of the past have them, and asking for those would slow the search threefold.
MARKS = "".join(sign for sign in map(chr, range(0x300, 0xFE30)) if unicodedata.category(sign)[0] == "M")

_STACKED = re.compile(f"([{MARKS}][{MARKS}]{{29}})[{MARKS}]+")


def without_stacks(text: str) -> str:
    """Return the text with at most thirty marks in a row.

    Normalisation sorts the marks of one letter in quadratic time; no writing system stacks thirty.
    """
    return _STACKED.sub(r"\1", text)
