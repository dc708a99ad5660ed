"""Map status words to flags: current, historical or work in progress."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

from app.domain.recall import StateFlag
from app.domain.text import fold

SUPERSEDED = "superseded"


@cache
def _words() -> dict[str, list[str]]:
    text = files("app.domain").joinpath("data", "standing.json").read_text(encoding="utf-8")
    words: dict[str, list[str]] = json.loads(text)
    return words


@cache
def _flag_by_word() -> dict[str, StateFlag]:
    return {word: flag for flag in StateFlag for word in _words()[flag]}


@cache
def _never_in_force() -> frozenset[str]:
    return frozenset(_words()["NEVER_IN_FORCE"])


def flag_of_status(status: str | None) -> StateFlag:
    """Return the flag of a status by its leading words; an absent or unknown status counts as current."""
    return _known_flag(status) or StateFlag.CURRENT


def is_known(status: str) -> bool:
    """Return whether the leading words of a status are known status words."""
    return _known_flag(status) is not None


def was_in_force(status: str | None) -> bool:
    """Return whether a status means "in force once, but no longer": superseded, not rejected."""
    word = _known_word(status)
    return (
        word is not None and _flag_by_word()[word] is StateFlag.HISTORICAL and word not in _never_in_force()
    )


def _known_flag(status: str | None) -> StateFlag | None:
    word = _known_word(status)
    return None if word is None else _flag_by_word()[word]


def _known_word(status: str | None) -> str | None:
    words = re.findall(r"\w+", fold(status or ""))
    leading = (" ".join(words[:length]) for length in (3, 2, 1))
    return next((phrase for phrase in leading if phrase in _flag_by_word()), None)
