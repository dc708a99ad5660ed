"""Normalise, compare, shorten and inspect texts."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from functools import cache

# Letters by their category, yet drawn as nothing: the fillers of Hangul, and Braille without a dot.
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Mn", "Mc", "Me"})


def is_blank(text: str) -> bool:
    """Return whether a text is blank: only white space, controls, fillers, or marks without a letter."""
    return all(character in _FILLERS or unicodedata.category(character) in _UNSEEN for character in text)


FARTHEST = 64

_JOINER = "\u200d"


def safe_cut(text: str, place: int) -> int:
    """Return the nearest position at or before this one that splits no grapheme.

    After 64 characters of one grapheme the position itself is returned: no reader sees that as one grapheme.
    """
    for candidate in range(place, max(0, place - FARTHEST) - 1, -1):
        if candidate in (0, len(text)) or not _continues(text, candidate):
            return candidate
    return place


def beginning(text: str, most: int) -> str:
    """Return at most this many characters of the start of a text, without splitting a grapheme."""
    return text if len(text) <= most else text[: safe_cut(text, most)]


def _continues(text: str, place: int) -> bool:
    """Return whether the character at a position belongs to the previous one."""
    after, before = text[place], text[place - 1]
    if after.isascii() and before.isascii():
        return False
    if before == _JOINER or after == _JOINER or unicodedata.category(after) in ("Mn", "Mc", "Me"):
        return True
    if _is_between(after, 0x1F3FB, 0x1F3FF):
        return True
    if _is_between(after, 0x1F1E6, 0x1F1FF):
        return _flags_before(text, place) % 2 == 1
    return _is_between(after, 0x1160, 0x11FF) and _is_between(before, 0x1100, 0xD7A3)


def _flags_before(text: str, place: int) -> int:
    """Return how many regional letters precede a position directly; two of them make one flag."""
    start = place
    while start > max(0, place - FARTHEST) and _is_between(text[start - 1], 0x1F1E6, 0x1F1FF):
        start -= 1
    return place - start


def _is_between(character: str, first: int, last: int) -> bool:
    return first <= ord(character) <= last


# Vowel signs and accents stand inside words, but the expression \w leaves them out. Beyond the basic
# plane only scripts of the past have them, and asking for those would slow the search threefold.
MARKS = "".join(sign for sign in map(chr, range(0x300, 0xFE30)) if unicodedata.category(sign)[0] == "M")


def without_stacks(text: str) -> str:
    """Return the text with at most thirty marks in a row.

    Normalisation sorts the marks of one letter in quadratic time; no writing system stacks thirty.
    """
    return _stacks_pattern(max(text, default="") > "\uffff").sub(r"\1", text)


@cache
def _stacks_pattern(beyond_the_basic_plane: bool) -> re.Pattern[str]:
    marks = MARKS + "".join(_astral_marks() if beyond_the_basic_plane else ())
    return re.compile(f"([{marks}][{marks}]{{29}})[{marks}]+")


def _astral_marks() -> Iterator[str]:
    return (sign for sign in map(chr, range(0x10000, 0x1F000)) if unicodedata.combining(sign))


UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")
"""Characters that no store can hold: NUL, and surrogates."""

_WORD = re.compile(r"\w+")

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]"
)
"""Characters that nobody sees and that change no letters: soft hyphens, spaces without width, directions.

Joiners are not among them, because words and pictures differ by those.
"""


def without_invisible(text: str) -> str:
    """Return a text without the characters that are drawn as nothing and change no name."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


MAX_KEY_BYTES = 2_048


def fold(text: str) -> str:
    """Return the form under which two spellings of one name are equal.

    Characters that nobody sees go, then NFKC, then full case folding (ß and SS meet, İ keeps its dot), NFKC
    again since folding can undo it, then every run of white space becomes one space and the ends are
    trimmed. A text that is too long for a name loses the marks beyond thirty on one letter, as in the
    analyser. It takes linear time; NFKC makes a text at most 18 times as long, and callers' names are bounded
    before (`app.domain.bounds`).
    """
    if text.isascii():
        return " ".join(text.casefold().split())
    if len(text) > MAX_KEY_BYTES:
        text = without_stacks(text)
    composed = unicodedata.normalize("NFKC", without_invisible(text)).casefold()
    return " ".join(unicodedata.normalize("NFKC", composed).split())


def name_key(text: str) -> str:
    """Return the form in which names are stored and looked up: folded, and short enough for an index."""
    return short_key(fold(text))


def may_be_a_word(form: str) -> bool:
    """Return whether a form may be an ordinary word: letters of one case, or small ones after a capital.

    `Harbor` and `IT` may be words; `PrismGR` and `C++` are always names.
    """
    form = without_invisible(form)
    rest = form[1:]
    return form.isalpha() and (form == form.upper() or rest == rest.lower())


def first_word(folded: str) -> str:
    """Return the first word of a folded form, which every text with the form contains; "" without one."""
    found = _WORD.search(folded)
    return "" if found is None else short_key(found.group())


def words_of(folded: str) -> set[str]:
    """Return every word of a folded text as `first_word` gives them, the empty one included."""
    return {"", *(short_key(word) for word in set(_WORD.findall(folded)))}


def short_key(key: str) -> str:
    """Return a key short enough for an index: one of more than 2,048 bytes becomes its start and a digest."""
    if len(key.encode()) <= MAX_KEY_BYTES:
        return key
    return f"{key[:128]}…{hashlib.sha256(key.encode()).hexdigest()}"


def pluralize(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 document`, `1,200 documents`; `many` is an irregular plural."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
