"""Scripts written without spaces: their characters and pairs of neighbours stand in for words."""

from __future__ import annotations

import re

LONGEST_RUN = 1_024

_SCRIPTS = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u1100-\u11ff\uac00-\ud7a3"  # Hangul
    "\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Han
)
_RUN = re.compile(f"[{_SCRIPTS}][{_SCRIPTS}]{{0,{LONGEST_RUN - 1}}}")


def set_apart(text: str) -> str:
    """Answer the text with a space on both sides of every run of these scripts.

    A run longer than 1,024 characters is cut, and the pair across the cut is lost.
    """
    return text if text.isascii() else _RUN.sub(r" \g<0> ", text)


def is_unspaced(text: str) -> bool:
    """Tell whether the text begins in one of these scripts."""
    return _RUN.match(text) is not None


def neighbours(run: str) -> tuple[str, ...]:
    """Answer every pair of neighbouring characters, in order."""
    return tuple(map(str.__add__, run, run[1:]))
