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
    words = re.findall(r"\w+", fold(status or ""))
    for length in (3, 2, 1):
        flag = _flag_by_word().get(" ".join(words[:length]))
        if flag is not None:
            return flag
    return StateFlag.CURRENT
