"""Whether a text shows anything at all."""

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
    """Return whether a text shows nothing: only white space, controls, fillers, or marks without a letter."""
    return all(character in _FILLERS or unicodedata.category(character) in _UNSEEN for character in text)


FARTHEST = 64

_JOINER = "\u200d"


def safe_cut(text: str, place: int) -> int:
    """Return the nearest place at or before this one that tears no grapheme.

    Past 64 characters of one unbroken grapheme the place itself is answered: no reader sees that as one.
    """
    for candidate in range(place, max(0, place - FARTHEST) - 1, -1):
        if candidate in (0, len(text)) or not _continues(text, candidate):
            return candidate
    return place


def beginning(text: str, most: int) -> str:
    """Return at most this many characters of the start of a text, cut where no grapheme is torn."""
    return text if len(text) <= most else text[: safe_cut(text, most)]


def _continues(text: str, place: int) -> bool:
    """Return whether the character at the place belongs to the one before it."""
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
    """Two regional letters make one flag, so what counts is whether a pair is open."""
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
    return _stacked(max(text, default="") > "\uffff").sub(r"\1", text)


@cache
def _stacked(beyond_the_basic_plane: bool) -> re.Pattern[str]:
    marks = MARKS + "".join(_astral_marks() if beyond_the_basic_plane else ())
    return re.compile(f"([{marks}][{marks}]{{29}})[{marks}]+")


def _astral_marks() -> Iterator[str]:
    return (sign for sign in map(chr, range(0x10000, 0x1F000)) if unicodedata.combining(sign))


UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")
"""What a text cannot hold in any store: NUL, and halves of characters."""

_WORD = re.compile(r"\w+")

MIN_FORM_LENGTH = 2
MAX_FORM_LENGTH = 512
MAX_KEY_BYTES = 2_048


def fold(text: str) -> str:
    """Return the form under which two spellings of one name are equal.

    NFKC first, then full case folding (ß and SS meet, İ keeps its dot), NFKC again since folding
    can undo it, then every run of white space becomes one space and the ends are trimmed. A text that is
    too long for a name loses what stands beyond thirty marks on one letter, as the analyser reads it. Takes
    time linear in the text, which NFKC makes 18 times as long at most; what a caller names is bounded before
    (`app.domain.bounds`).
    """
    if text.isascii():
        return " ".join(text.casefold().split())
    if len(text) > MAX_KEY_BYTES:
        text = without_stacks(text)
    composed = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", composed).split())


def name_key(text: str) -> str:
    """Return the form under which names are kept and looked up: folded, and short enough for an index."""
    return short_key(fold(text))


def may_be_a_word(form: str) -> bool:
    """Return whether a form may be an ordinary word: letters of one case, or small ones after a capital.

    `Harbor` and `IT` may, and in other case are; `PrismGR` and `C++` are names in any case.
    """
    rest = form[1:]
    return form.isalpha() and (form == form.upper() or rest == rest.lower())


def first_word(folded: str) -> str:
    """Return the first word of a folded form, which every text that uses the form holds; "" without one."""
    found = _WORD.search(folded)
    return "" if found is None else short_key(found.group())


def words_of(folded: str) -> set[str]:
    """Return every word of a folded text as `first_word` gives them, the empty one included."""
    return {"", *(short_key(word) for word in set(_WORD.findall(folded)))}


def short_key(key: str) -> str:
    """Return a key that an index can hold: a key of more than 2,048 bytes is its start and a digest."""
    if len(key.encode()) <= MAX_KEY_BYTES:
        return key
    return f"{key[:128]}…{hashlib.sha256(key.encode()).hexdigest()}"
