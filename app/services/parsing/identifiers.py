"""Identifiers in text: SPEC-20, ADR-7, PEP 484, but not UTF-8 or CVE-2024-1234."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.domain.identifier import bare_key, identifier_key
from app.domain.text import fold
from app.services.parsing.vocabulary import kind_named, vocabulary

# Scripts that put no space between words: a letter of theirs beside an identifier is its boundary.
_UNSPACED = 0x2E80
_NAMESPACE = re.compile(r"(?:[\w.-]{1,64}/){1,4}\Z")
_MAX_NAMESPACE_LENGTH = 130
MAX_DIGITS = 9
_DIGIT = re.compile("[0-9]")


@dataclass(frozen=True, slots=True)
class IdentifierMention:
    """An identifier as a text spells it, its key, and the offset in characters at which it starts."""

    text: str
    key: str
    start: int

    @property
    def end(self) -> int:
        """The offset just after the identifier."""
        return self.start + len(self.text)


def find_identifiers(text: str, prefixes: frozenset[str]) -> list[IdentifierMention]:
    """Return every identifier with an accepted prefix, in order.

    A prefix that is also an everyday word needs a hyphen or its capitals (`Plan 9` is none). Number
    zero is a placeholder. `#` as a prefix accepts `#123`.
    """
    return [mention for mention in _candidates(text, prefixes) if mention is not None]


def whole_identifier(text: str, prefixes: frozenset[str]) -> bool:
    """Return whether a text is one identifier and nothing else; here number zero counts too."""
    match = _pattern(prefixes).fullmatch(text.rpartition("/")[2]) if prefixes else None
    return match is not None and match["prefix"] is not None


def _candidates(text: str, prefixes: frozenset[str]) -> Iterator[IdentifierMention | None]:
    if not prefixes or _DIGIT.search(text) is None:
        return
    for match in _pattern(prefixes).finditer(text):
        if match["issue"] is not None:
            yield IdentifierMention(match[0], identifier_key(match[0]), match.start())
        elif _stands_alone(text, match) and _is_meant(match):
            start = match.start() - len(_namespace_before(text, match.start(), prefixes))
            spelled = text[start : match.end()]
            space = text[start : match.start()]
            key = identifier_key(f"{space}{match['prefix']}-{match['number']}")
            yield IdentifierMention(spelled, key, start)


@lru_cache(maxsize=64)
def _pattern(prefixes: frozenset[str]) -> re.Pattern[str]:
    words = sorted((re.escape(prefix) for prefix in prefixes if prefix != "#"), key=len, reverse=True)
    issue = r"(?<![\w#&/])\#[0-9]{1,9}(?![\w])" if "#" in prefixes else r"(?!)"
    prefix = rf"(?P<prefix>{'|'.join(words) or '(?!)'})"
    joint = r"(?P<joint>[-‐‑_]\#?|[ \t\u00a0\n]?\#?)"
    return re.compile(rf"{prefix}{joint}(?P<number>[0-9]{{1,9}})|(?P<issue>{issue})", re.IGNORECASE)


def _is_meant(match: re.Match[str]) -> bool:
    if int(match["number"]) == 0:
        return False
    prefix = match["prefix"]
    hyphenated = match["joint"][:1] in ("-", "‐", "‑", "_")
    return hyphenated or prefix.isupper() or prefix.upper() not in vocabulary().everyday_words


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    return not (_joins_before(text, match.start()) or _joins_after(text, match.end()))


def _joins_before(text: str, start: int) -> bool:
    edge = start
    while edge > max(0, start - 3) and text[edge - 1] == "_":
        edge -= 1
    if edge == 0:
        return False
    before = text[edge - 1]
    if before in "-‐‑":
        return edge > 1 and text[edge - 2].isalnum()
    return before == "$" or _is_letter(before)


def _joins_after(text: str, end: int) -> bool:
    after = text[end : end + 2]
    if not after:
        return False
    if after[0] in "-.":
        return after[1:].isdigit()
    if after[0] == "_":
        return after[1:].isalnum()
    return _is_letter(after[0])


def _is_letter(character: str) -> bool:
    return character.isalnum() and ord(character) < _UNSPACED


def _namespace_before(text: str, start: int, prefixes: frozenset[str]) -> str:
    if start == 0 or text[start - 1] != "/":
        return ""
    window = text[max(0, start - _MAX_NAMESPACE_LENGTH) : start]
    match = _NAMESPACE.search(window)
    if match is None:
        return ""
    nearest = match[0].rstrip("/").rpartition("/")[2]
    if nearest.isdigit() or whole_identifier(nearest, prefixes):
        return ""
    return match[0] if text[start - len(match[0]) - 1 : start - len(match[0])] not in ("/", ":") else ""


def keys_of_number(text: str, kinds: Iterable[str]) -> list[str]:
    """Return the keys that a bare number such as 0049 can have: one for each prefix and for each kind."""
    number = text.strip().lstrip("0")
    if not (number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS):
        return []
    prefixes = {prefix for prefix in vocabulary().prefixes if prefix.isalpha()}
    return sorted({identifier_key(f"{prefix}-{number}") for prefix in (*prefixes, *kinds)})


_ABOUT_ANOTHER = re.compile(
    r"(?:^|[^a-z])(?:archived?|backup|comments?|copy|discussions?|drafts?|feedback|minutes|notes?|old|replies|"
    r"responses?|retros?|reviews?|summar(?:y|ies)|templates?)(?:[^a-z]|$)"
)
"""Words of a path that say that a document is about another one, or a former one of it."""


def place_of_best(key: str, documents: Sequence[tuple[str, str | None]]) -> int | None:
    """Return which document fits a number best that all of them state, or None if several fit equally.

    Each is given by its kind and its path. Kinds and file names that have the number count first, then names
    that do not say that the document is about another, then the name that the others begin with.
    """
    fits = [_fit(key, kind, path) for kind, path in documents]
    best = [place for place, fit in enumerate(fits) if fit == max(fits)]
    if len(best) > 1:
        stems = {place: _stem(documents[place][1]) for place in best}
        best = [place for place in best if _begins_all(place, stems)]
    return best[0] if len(best) == 1 else None


def _begins_all(place: int, stems: Mapping[int, str]) -> bool:
    own, *others = [stems[place], *(stem for at, stem in stems.items() if at != place)]
    return all(stem.startswith(own) and stem != own for stem in others)


def _fit(key: str, kind: str, path: str | None) -> tuple[bool, bool, bool]:
    prefix, _, number = bare_key(key).rpartition("-")
    known = kind_named(kind)
    is_of_kind = prefix in (fold(kind), fold(known.prefix) if known is not None else "")
    written = re.match(rf"(?:{re.escape(prefix)}[-_ ]?)?0*{re.escape(number)}(?![0-9])", _stem(path))
    return is_of_kind, written is not None, not is_about_another(path)


def is_about_another(path: str | None) -> bool:
    """Return whether the folder or name of a file says that it is about another, or a former one of it."""
    return _ABOUT_ANOTHER.search(_place(path)) is not None


def _place(path: str | None) -> str:
    """Return the folded folder and name of a file, without its ending."""
    return fold("/".join(posixpath.splitext(path)[0].split("/")[-2:])) if path else ""


def _stem(path: str | None) -> str:
    return _place(path).rpartition("/")[2]
