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
"""Words of a status that a team defines; a status of more is a sentence."""

MAX_STATUS_READ = 1_000
"""Characters of a status that are read; a longer one has no flag, for what follows could turn it around."""

CUT = "…"
"""The end of a status of which only the beginning is kept, which says nothing on its own."""

MAX_QUALIFIED_WORDS = 5
"""A known phrase behind more unknown words than these may say anything."""

_WORD = re.compile(r"\w+")
_FIRST_WORD = re.compile(r"[^\W_]+")
_CHOICE = re.compile(r"\s*(?:[|/,]|\bor\b)\s*", re.IGNORECASE)
_CHOICE_LEAD = re.compile(
    r"\s*(?:either\b|(?:please\s+)?(?:choose|select|pick|one|any|possible|valid|allowed|e\.g\.)"
    r"[^:|/,]{0,40}?(?:\b(?:of|from|as)\b(?:\s+the\s+following)?:?|:))\s*",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"^\W*(?:[{<]|\[[^\]|/,]*[|/,])|\w\s*\?|\[\s*\]|☐|(?:\[[xX✓✔-]\]|[☑☒]).*(?:\[[xX✓✔-]\]|[☑☒])", re.DOTALL
)
"""A placeholder, a question, or boxes of which none or several are ticked."""

_FILLED = re.compile(
    r"(?:[\s,]+(?:its?|was|is|are|were|has|have|had|been|got|then|now|since|later|again|already|subsequently"
    r"|afterwards|eventually|finally|formally|officially))*[\s,]+",
    re.IGNORECASE,
)


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
    doubts: frozenset[str]
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
        doubts=sets["DOUBTS"],
        longest=max(len(phrase.split()) for phrase in flags),
    )


def status_phrase(status: str) -> str:
    """Return the one spelling of a status: its folded words without marks, and no date before them."""
    words = _spelled(status[:MAX_STATUS_READ]).split()
    numbers = next((place for place, word in enumerate(words) if not word.isdigit()), len(words))
    is_counted = numbers == 1 and len(words[0]) < 4 and re.match(r"\W*\d+\s", status) is not None
    return " ".join(words if is_counted else words[numbers:])


def _spelled(phrase: str) -> str:
    return " ".join(_WORD.findall(fold(phrase)))


def flag_of_status(status: str | None, team: TeamWords = NO_TEAM_WORDS) -> StateFlag | None:
    """Return the flag of a status by its words: an absent one counts as current, an unknown one has none.

    What a team says of its own words counts before what ships.
    """
    if status is None or not status.strip():
        return StateFlag.CURRENT
    meaning = _meaning(status, team)
    return None if meaning is None else meaning.flag


def is_known(status: str, team: TeamWords = NO_TEAM_WORDS) -> bool:
    """Return whether the words of a status have a meaning."""
    return _meaning(status, team) is not None


def unknown_status_warnings(status: str, team: TeamWords = NO_TEAM_WORDS) -> tuple[str, ...]:
    """Return a warning if the words of a document's status have no meaning."""
    if is_known(status, team):
        return ()
    is_cut = f" of more than {MAX_STATUS_WORDS} words" if status.endswith(CUT) else ""
    return (f"unknown status{is_cut} {status}; the document gets no flag",)


def was_in_force(status: str | None, team: TeamWords = NO_TEAM_WORDS) -> bool:
    """Return whether a status means "in force once, but no longer": superseded, not rejected."""
    meaning = _meaning(status, team) if status else None
    return meaning is not None and meaning.flag is StateFlag.HISTORICAL and meaning.was_in_force


def is_or_was_in_force(status: object, team: TeamWords = NO_TEAM_WORDS) -> bool:
    """Return whether something with this status may supersede; a draft or a rejected proposal may not."""
    words = status if isinstance(status, str) else None
    return may_put_in_force(words, team) or was_in_force(words, team)


def is_notice(words: str) -> bool:
    """Return whether words say at the head of a document, without a field, that it is over."""
    return _spelled(words) in _words().notices


def may_put_in_force(status: str | None, team: TeamWords = NO_TEAM_WORDS) -> bool:
    """Return whether a document of this status counts as in force for what it supersedes.

    A status without a known meaning does: the document itself says that it supersedes.
    """
    return flag_of_status(status, team) in (StateFlag.CURRENT, None)


def leading_status(text: str, start: int = 0) -> re.Match[str] | None:
    """Return the known status, the longest one, that begins at a place of a text; None without one."""
    found = _FIRST_WORD.match(text, start)
    first = "" if found is None else fold(found[0])
    return _phrases_from(first).match(text, start) if first in _first_words() else None


@cache
def _first_words() -> frozenset[str]:
    return frozenset(phrase.partition(" ")[0] for phrase in _words().flags)


@cache
def _phrases_from(first: str) -> re.Pattern[str]:
    """Return the pattern of the phrases with this first word; all of them together compile slowly."""
    found = (phrase for phrase in _words().flags if phrase.partition(" ")[0] == first)
    phrases = sorted(found, key=len, reverse=True)
    spelled = "|".join(re.escape(phrase).replace(r"\ ", r"[\s_'’-]{1,3}") for phrase in phrases)
    return re.compile(rf"(?:{spelled})(?!\w)", re.IGNORECASE)


def is_choice(status: str) -> bool:
    """Return whether a status is a list of several that mean different things: "Proposed | Accepted"."""
    lead = _CHOICE_LEAD.match(status)
    listed = status[lead.end() if lead else 0 :]
    parts = [part.strip(" '\"`()[]{}<>*_") for part in _CHOICE.split(listed)][:MAX_STATUS_WORDS]
    are_whole = [part for part in parts if _leads(part, whole="|" not in listed)]
    if len(parts) < 2 or parts[:2] != are_whole[:2]:
        return False
    return len({flag_of_status(_lead(part)) for part in are_whole}) > 1


def _lead(part: str) -> str:
    known = leading_status(part)
    return "" if known is None else known[0]


def _leads(part: str, *, whole: bool) -> bool:
    """Return whether a part begins with a known status, and with `whole` has no other words."""
    known = _lead(part)
    return bool(known) and not (whole and part[len(known) :].strip(" .!?*_"))


def later_status(text: str) -> str | None:
    """Return what a text turns to, as it is written: "rejected" in "accepted, but later rejected"."""
    found = None
    for contrast in _contrast().finditer(text[:MAX_STATUS_READ]):
        filled = _FILLED.match(text, contrast.end())
        known = None if filled is None else leading_status(text, filled.end())
        found = found if known is None else known[0]
    return found


@cache
def _contrast() -> re.Pattern[str]:
    return re.compile(rf"(?<!^)(?<!\bnot\s)\b(?:{'|'.join(sorted(_words().contrasts))})\b", re.IGNORECASE)


def _meaning(status: str, team: TeamWords) -> _Meaning | None:
    return None if len(status) > MAX_STATUS_READ else _meaning_of_words(status, team)


@lru_cache(maxsize=1_024)
def _meaning_of_words(status: str, team: TeamWords) -> _Meaning | None:
    phrase, known = status_phrase(status), _words(team)
    if phrase in dict(team):
        return _of_phrase(phrase, known)
    if status.rstrip().endswith(CUT) or _OPEN.search(status) is not None or is_choice(status):
        return None
    words = phrase.split()
    if (opening := _opening(words, known)) is not None:
        meaning = _of_leading_words(words, known) or _of_qualified(words, opening, known)
    else:
        meaning = _of_leading_words(words, known) or _of_later_words(words, known)
    return _turned(meaning, later_status(status), known)


def _turned(meaning: _Meaning | None, later: str | None, known: _Words) -> _Meaning | None:
    """Return what a status means that a later word turns; None if it turns back from its end."""
    if later is None or meaning is None:
        return meaning
    turned = _of_phrase(_spelled(later), known)
    if turned.flag is meaning.flag:
        return meaning
    return None if meaning.flag is StateFlag.HISTORICAL else turned


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
    is_joined = bool(rest) and rest[0] == "and"
    while rest and (rest[0] in known.contrasts or rest[0] == "and"):
        rest = rest[1:]
    phrase = _phrase_at(rest, 0, known) if rest else None
    following = said if phrase is None else _of_phrase(phrase, known)
    if following.flag is StateFlag.HISTORICAL:
        return following
    return None if is_joined and (said.flag, following.flag) == (StateFlag.WIP, StateFlag.CURRENT) else said


def _opening(words: Sequence[str], known: _Words) -> str | None:
    """Return the words at the start that turn what follows: "no longer", "not yet"."""
    turning = known.ended | known.denied | known.until_later
    openings = (" ".join(words[:length]) for length in (3, 2, 1) if len(words) > length)
    return next((opening for opening in openings if opening in turning), None)


def _of_qualified(words: Sequence[str], opening: str, known: _Words) -> _Meaning | None:
    """Return what a phrase means behind its opening: "no longer valid", "not yet accepted"."""
    length = len(opening.split())
    phrase = _phrase_at(words, length, known)
    if phrase is None:
        return _Meaning(StateFlag.HISTORICAL, was_in_force=True) if opening in known.ended else None
    if opening in known.denied and "yet" in words[length:]:
        opening = "not yet"
    return _of_denied(opening, _of_phrase(phrase, known), known)


def _of_denied(opening: str, said: _Meaning, known: _Words) -> _Meaning | None:
    """Return what is left of a meaning that an opening denies; what never was in force says nothing then."""
    if said.flag is StateFlag.CURRENT:
        if opening in known.until_later:
            return _Meaning(StateFlag.WIP)
        return _Meaning(StateFlag.HISTORICAL, was_in_force=opening in known.ended)
    is_denied = opening not in known.ended or opening.startswith("no ")
    return _Meaning(StateFlag.CURRENT) if said.was_in_force and is_denied else None


def _of_later_words(words: Sequence[str], known: _Words) -> _Meaning | None:
    """Return what the phrases behind an unknown first word agree on, such as "conditionally accepted".

    Words of doubt among them leave it open: "should be accepted", "has not been approved".
    """
    found: list[_Meaning] = []
    place = 1
    while place < min(len(words), MAX_QUALIFIED_WORDS):
        phrase = _phrase_at(words, place, known)
        if phrase is not None:
            meaning = _in_its_place(words, place, phrase, known)
            if meaning is None:
                return None
            found.append(meaning)
        place += len(phrase.split()) if phrase else 1
    return found[0] if found and len({meaning.flag for meaning in found}) == 1 else None


def _in_its_place(words: Sequence[str], place: int, phrase: str, known: _Words) -> _Meaning | None:
    """Return what a phrase means behind the words before it, or None where they leave it open."""
    for start in range(max(place - 3, 0), place):
        opening = _opening(words[start:], known)
        if opening is not None and start + len(opening.split()) == place:
            return _of_qualified(words[start:], opening, known)
    is_open = bool((known.doubts | known.denied) & set(words[:place]))
    return None if is_open else _of_phrase(phrase, known)
