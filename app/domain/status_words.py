"""Map status words to flags: current, historical or work in progress."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from app.domain.recall import StateFlag
from app.domain.text import fold

SUPERSEDED = "superseded"
MAX_STATUS_WORDS = 12
"""Words of a status that are read; a status of more is a sentence."""

MAX_QUALIFIED_WORDS = 5
"""A known phrase behind more unknown words than these may say anything."""

_WORD = re.compile(r"\w+")
_LONG = 200


@dataclass(frozen=True, slots=True)
class _Words:
    """The content of standing.json, each phrase as its words with one space between them."""

    flags: dict[str, StateFlag]
    never_in_force: frozenset[str]
    notices: frozenset[str]
    ended: frozenset[str]
    denied: frozenset[str]
    until_later: frozenset[str]
    makes_wip: frozenset[str]
    contrasts: frozenset[str]
    longest: int


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The flag of a status, and whether what it is said of was in force before."""

    flag: StateFlag
    was_in_force: bool = False


@cache
def _words() -> _Words:
    text = files("app.domain").joinpath("data", "standing.json").read_text(encoding="utf-8")
    data: dict[str, list[str]] = json.loads(text)
    sets = {name: frozenset(_spelled(phrase) for phrase in phrases) for name, phrases in data.items()}
    flags = {phrase: flag for flag in StateFlag for phrase in sets[flag]}
    return _Words(
        flags=flags,
        never_in_force=sets["NEVER_IN_FORCE"],
        notices=sets["NOTICES"],
        ended=sets["ENDED"],
        denied=sets["DENIED"],
        until_later=sets["UNTIL_LATER"],
        makes_wip=sets["MAKES_WIP"],
        contrasts=sets["CONTRASTS"],
        longest=max(len(phrase.split()) for phrase in flags),
    )


def _spelled(phrase: str) -> str:
    return " ".join(_WORD.findall(fold(phrase)))


def flag_of_status(status: str | None) -> StateFlag | None:
    """Return the flag of a status by its words: an absent one counts as current, an unknown one has none."""
    if status is None or not status.strip():
        return StateFlag.CURRENT
    meaning = _meaning(status[:_LONG])
    return None if meaning is None else meaning.flag


def is_known(status: str) -> bool:
    """Return whether the words of a status have a meaning."""
    return _meaning(status[:_LONG]) is not None


def unknown_status_warnings(status: str) -> tuple[str, ...]:
    """Return a warning if the words of a document's status have no meaning."""
    return () if is_known(status) else (f"unknown status {status}; the document gets no flag",)


def was_in_force(status: str | None) -> bool:
    """Return whether a status means "in force once, but no longer": superseded, not rejected."""
    meaning = _meaning(status[:_LONG]) if status else None
    return meaning is not None and meaning.flag is StateFlag.HISTORICAL and meaning.was_in_force


def is_notice(words: str) -> bool:
    """Return whether words say at the head of a document, without a field, that it is over."""
    return _spelled(words) in _words().notices


def may_put_in_force(status: str | None) -> bool:
    """Return whether a document of this status counts as in force for what it supersedes.

    A status without a known meaning does: the document itself says that it supersedes.
    """
    return flag_of_status(status) in (StateFlag.CURRENT, None)


@cache
def leading_status() -> re.Pattern[str]:
    """Return the pattern of a known status at the start of a text, the longest first."""
    phrases = sorted(_words().flags, key=len, reverse=True)
    spelled = "|".join(re.escape(phrase).replace(r"\ ", r"[\s_'’-]{1,3}") for phrase in phrases)
    return re.compile(rf"(?:{spelled})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=1_024)
def _meaning(status: str) -> _Meaning | None:
    words = _WORD.findall(fold(status))[:MAX_STATUS_WORDS]
    while words and words[0].isdigit():
        words = words[1:]
    return _of_leading_words(words) or _of_qualified(words) or _of_later_words(words)


def _phrase_at(words: Sequence[str], place: int) -> str | None:
    """Return the longest known phrase that begins at a place."""
    for length in range(min(_words().longest, len(words) - place), 0, -1):
        phrase = " ".join(words[place : place + length])
        if phrase in _words().flags:
            return phrase
    return None


def _of_phrase(phrase: str) -> _Meaning:
    flag = _words().flags[phrase]
    was = flag is StateFlag.HISTORICAL and phrase not in _words().never_in_force
    return _Meaning(flag, was)


def _of_leading_words(words: Sequence[str]) -> _Meaning | None:
    """Return what a known phrase at the start means together with what follows it."""
    phrase = _phrase_at(words, 0)
    if phrase is None:
        return None
    rest = words[len(phrase.split()) :]
    said = _of_phrase(phrase)
    if any(" ".join(rest[-length:]) in _words().ended for length in (1, 2) if rest):
        return _Meaning(StateFlag.HISTORICAL, was_in_force=True)
    if said.flag is StateFlag.CURRENT and rest and rest[0] in _words().makes_wip:
        return _Meaning(StateFlag.WIP)
    while rest and rest[0] in _words().contrasts:
        rest = rest[1:]
    following = _phrase_at(rest, 0) if rest else None
    if following is not None and _of_phrase(following).flag is StateFlag.HISTORICAL:
        return _of_phrase(following)
    return said


def _of_qualified(words: Sequence[str]) -> _Meaning | None:
    """Return what a phrase means behind words that turn it: "no longer valid", "not yet accepted"."""
    for length in (3, 2, 1):
        opening = " ".join(words[:length])
        if len(words) <= length or opening not in (_words().ended | _words().denied | _words().until_later):
            continue
        phrase = _phrase_at(words, length)
        if opening in _words().ended:
            return _Meaning(StateFlag.HISTORICAL, was_in_force=True)
        if phrase is None:
            return None
        is_over = _of_phrase(phrase).flag is StateFlag.HISTORICAL
        if opening in _words().until_later:
            return _Meaning(StateFlag.CURRENT if is_over else StateFlag.WIP)
        if _of_phrase(phrase).flag is StateFlag.WIP:
            return None
        return _Meaning(StateFlag.CURRENT if is_over else StateFlag.HISTORICAL)
    return None


def _of_later_words(words: Sequence[str]) -> _Meaning | None:
    """Return what the phrases behind an unknown first word agree on, such as "conditionally accepted"."""
    if words and words[0] in _words().denied:
        return None
    found: list[_Meaning] = []
    place = 1
    while place < min(len(words), MAX_QUALIFIED_WORDS):
        phrase = _phrase_at(words, place)
        if phrase is not None:
            found.append(_of_qualified(words[place - 1 :]) or _of_phrase(phrase))
        place += len(phrase.split()) if phrase else 1
    return found[0] if found and len({meaning.flag for meaning in found}) == 1 else None
