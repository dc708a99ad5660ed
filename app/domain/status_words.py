"""Map status words to flags: current, historical or work in progress."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import TypeAlias

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


TeamWords: TypeAlias = tuple[tuple[str, StateFlag], ...]
"""What a team says its own status words mean: phrases as `status_phrase` returns them, and their flags."""

NO_TEAM_WORDS: TeamWords = ()


@lru_cache(maxsize=256)
def _words(team: TeamWords = NO_TEAM_WORDS) -> _Words:
    """Return the words that ship, and those of a team, which come before them."""
    if team:
        shipped = _words()
        longest = max(len(phrase.split()) for phrase, _ in team)
        flags = {**shipped.flags, **dict(team)}
        return replace(shipped, flags=flags, longest=max(shipped.longest, longest))
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


def status_phrase(status: str) -> str:
    """Return the one spelling of a status: its folded words without marks, and no numbers before them."""
    words = _spelled(status[:_LONG]).split()
    while words and words[0].isdigit():
        words = words[1:]
    return " ".join(words[:MAX_STATUS_WORDS])


def _spelled(phrase: str) -> str:
    return " ".join(_WORD.findall(fold(phrase)))


def flag_of_status(status: str | None, team: TeamWords = NO_TEAM_WORDS) -> StateFlag | None:
    """Return the flag of a status by its words: an absent one counts as current, an unknown one has none.

    What a team says of its own words counts before what ships.
    """
    if status is None or not status.strip():
        return StateFlag.CURRENT
    meaning = _meaning(status[:_LONG], team)
    return None if meaning is None else meaning.flag


def is_known(status: str, team: TeamWords = NO_TEAM_WORDS) -> bool:
    """Return whether the words of a status have a meaning."""
    return _meaning(status[:_LONG], team) is not None


def unknown_status_warnings(status: str, team: TeamWords = NO_TEAM_WORDS) -> tuple[str, ...]:
    """Return a warning if the words of a document's status have no meaning."""
    return () if is_known(status, team) else (f"unknown status {status}; the document gets no flag",)


def was_in_force(status: str | None, team: TeamWords = NO_TEAM_WORDS) -> bool:
    """Return whether a status means "in force once, but no longer": superseded, not rejected."""
    meaning = _meaning(status[:_LONG], team) if status else None
    return meaning is not None and meaning.flag is StateFlag.HISTORICAL and meaning.was_in_force


def is_notice(words: str) -> bool:
    """Return whether words say at the head of a document, without a field, that it is over."""
    return _spelled(words) in _words().notices


def may_put_in_force(status: str | None, team: TeamWords = NO_TEAM_WORDS) -> bool:
    """Return whether a document of this status counts as in force for what it supersedes.

    A status without a known meaning does: the document itself says that it supersedes.
    """
    return flag_of_status(status, team) in (StateFlag.CURRENT, None)


@cache
def leading_status() -> re.Pattern[str]:
    """Return the pattern of a known status at the start of a text, the longest first."""
    phrases = sorted(_words().flags, key=len, reverse=True)
    spelled = "|".join(re.escape(phrase).replace(r"\ ", r"[\s_'’-]{1,3}") for phrase in phrases)
    return re.compile(rf"(?:{spelled})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=1_024)
def _meaning(status: str, team: TeamWords) -> _Meaning | None:
    words = status_phrase(status).split()
    known = _words(team)
    return _of_leading_words(words, known) or _of_qualified(words, known) or _of_later_words(words, known)


def _phrase_at(words: Sequence[str], place: int, known: _Words) -> str | None:
    """Return the longest known phrase that begins at a place."""
    for length in range(min(known.longest, len(words) - place), 0, -1):
        phrase = " ".join(words[place : place + length])
        if phrase in known.flags:
            return phrase
    return None


def _of_phrase(phrase: str, known: _Words) -> _Meaning:
    flag = known.flags[phrase]
    was = flag is StateFlag.HISTORICAL and phrase not in known.never_in_force
    return _Meaning(flag, was)


def _of_leading_words(words: Sequence[str], known: _Words) -> _Meaning | None:
    """Return what a known phrase at the start means together with what follows it."""
    phrase = _phrase_at(words, 0, known)
    if phrase is None:
        return None
    rest = words[len(phrase.split()) :]
    said = _of_phrase(phrase, known)
    if any(" ".join(rest[-length:]) in known.ended for length in (1, 2) if rest):
        return _Meaning(StateFlag.HISTORICAL, was_in_force=True)
    if said.flag is StateFlag.CURRENT and rest and rest[0] in known.makes_wip:
        return _Meaning(StateFlag.WIP)
    while rest and rest[0] in known.contrasts:
        rest = rest[1:]
    following = _phrase_at(rest, 0, known) if rest else None
    if following is not None and _of_phrase(following, known).flag is StateFlag.HISTORICAL:
        return _of_phrase(following, known)
    return said


def _of_qualified(words: Sequence[str], known: _Words) -> _Meaning | None:
    """Return what a phrase means behind words that turn it: "no longer valid", "not yet accepted"."""
    for length in (3, 2, 1):
        opening = " ".join(words[:length])
        if len(words) <= length or opening not in (known.ended | known.denied | known.until_later):
            continue
        phrase = _phrase_at(words, length, known)
        if opening in known.ended:
            return _Meaning(StateFlag.HISTORICAL, was_in_force=True)
        if phrase is None:
            return None
        is_over = _of_phrase(phrase, known).flag is StateFlag.HISTORICAL
        if opening in known.until_later:
            return _Meaning(StateFlag.CURRENT if is_over else StateFlag.WIP)
        if _of_phrase(phrase, known).flag is StateFlag.WIP:
            return None
        return _Meaning(StateFlag.CURRENT if is_over else StateFlag.HISTORICAL)
    return None


def _of_later_words(words: Sequence[str], known: _Words) -> _Meaning | None:
    """Return what the phrases behind an unknown first word agree on, such as "conditionally accepted"."""
    if words and words[0] in known.denied:
        return None
    found: list[_Meaning] = []
    place = 1
    while place < min(len(words), MAX_QUALIFIED_WORDS):
        phrase = _phrase_at(words, place, known)
        if phrase is not None:
            found.append(_of_qualified(words[place - 1 :], known) or _of_phrase(phrase, known))
        place += len(phrase.split()) if phrase else 1
    return found[0] if found and len({meaning.flag for meaning in found}) == 1 else None
