"""The characters that Unicode sorts among themselves after a letter: accents, vowel signs and the like."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain

# Between these lie the scripts of East Asia, which have none.
_PLANES = ((0x300, 0x3100), (0xA66F, 0xAC00), (0xFB1E, 0x1F000))


def _ranges() -> Iterator[str]:
    """Yield what stands for these characters in a set of a regular expression, neighbours as a range."""
    start = None
    for number in chain.from_iterable(range(*plane) for plane in _PLANES):
        is_mark = unicodedata.combining(chr(number)) != 0
        if is_mark and start is None:
            start = number
        elif not is_mark and start is not None:
            yield f"{chr(start)}-{chr(number - 1)}"
            start = None


MARKS = "".join(_ranges())
"""Every character with a combining class, as the inside of a set of a regular expression."""

_BASIC = "".join(mark for mark in re.findall("(?s).-.", MARKS) if mark < "\U00010000")

_BEYOND = re.compile("[\U00010000-\U0001ffff]")
# No writing system stacks thirty. To search for a set that leaves the basic plane takes thirty times as long.
_STACKED_BASIC, _STACKED = (re.compile(f"([{set_}][{set_}]{{29}})[{set_}]+") for set_ in (_BASIC, MARKS))


def unstacked(text: str) -> str:
    """Return a text with 30 marks at most a letter: normalisation sorts them in quadratic time."""
    if text.isascii():
        return text
    stacked = _STACKED if _BEYOND.search(text) else _STACKED_BASIC
    return stacked.sub(r"\1", text)
