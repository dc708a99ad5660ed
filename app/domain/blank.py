"""Whether a text shows anything at all."""

from __future__ import annotations

import unicodedata

# Letters by their category, yet drawn as nothing: the fillers of Hangul, and Braille without a dot.
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Mn", "Mc", "Me"})


def is_blank(text: str) -> bool:
    """Tell whether a text shows nothing: only white space, controls, fillers, or marks without a letter."""
    return all(character in _FILLERS or unicodedata.category(character) in _UNSEEN for character in text)
