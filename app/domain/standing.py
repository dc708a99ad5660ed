"""What a status word says about a document: current, historical or work in progress."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

from app.domain.recall import StateFlag
from app.domain.surface_form import fold

SUPERSEDED = "superseded"


@cache
def _flag_by_word() -> dict[str, StateFlag]:
    text = files("app.domain").joinpath("data", "standing.json").read_text(encoding="utf-8")
    return {word: StateFlag(flag) for flag, words in json.loads(text).items() for word in words}


def standing(status: str | None) -> StateFlag:
    """Answer what a status says by its leading words; an absent or unknown one counts as current."""
    return _known(status) or StateFlag.CURRENT


def is_known(status: str) -> bool:
    """Tell whether the leading words of a status are among those that say something."""
    return _known(status) is not None


def _known(status: str | None) -> StateFlag | None:
    words = re.findall(r"\w+", fold(status or ""))
    leading = (" ".join(words[:length]) for length in (3, 2, 1))
    return next((_flag_by_word()[phrase] for phrase in leading if phrase in _flag_by_word()), None)
