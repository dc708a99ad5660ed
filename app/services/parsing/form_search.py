"""Searching a text for the uses of many names at once."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from app.domain.text import fold, may_be_a_word, without_invisible, without_stacks

_WORD = re.compile(r"\w+")

Found = tuple[int, int]
"""The start and end of a form in a folded text."""


class Used(NamedTuple):
    """A form that a text uses: its index, the number of uses, and whether it is surely meant."""

    place: int
    times: int
    is_meant: bool


def forms_used(text: str, forms: Sequence[tuple[str, str]]) -> list[Used]:
    """Return the forms that a text uses, given each form as written and folded; in linear time.

    Only whole words count, the longest form at a place first. A form that may be an ordinary word is meant
    only where the text has exactly its spelling: a common word in lower case means itself.
    """
    folded = fold(text)
    wanted = {form: place for place, (_, form) in enumerate(forms) if form}
    found = sorted(_find_all(folded, wanted), key=lambda each: (each[0], -each[1]))
    counts = Counter(wanted[folded[start:end]] for start, end in _without_overlaps(found))
    if not counts:
        return []
    composed = unicodedata.normalize("NFKC", without_stacks(without_invisible(text)))
    words = set(_WORD.findall(composed))
    return [
        Used(place, count, not may_be_a_word(forms[place][0]) or _stands_in(composed, words, forms[place][0]))
        for place, count in counts.items()
    ]


def _stands_in(composed: str, words: set[str], form: str) -> bool:
    name = unicodedata.normalize("NFKC", without_invisible(form))
    if _WORD.fullmatch(name) is not None:
        return name in words
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", composed) is not None


def _find_all(text: str, wanted: Iterable[str]) -> Iterator[Found]:
    by_word: dict[str, list[tuple[int, str]]] = defaultdict(list)
    wordless = []
    for form in wanted:
        word = _WORD.search(form)
        if word is None:
            wordless.append(form)
        else:
            by_word[word.group()].append((word.start(), form))
    for word in _WORD.finditer(text):
        for offset, form in by_word.get(word.group(), ()):
            start = word.start() - offset
            if start >= 0 and text.startswith(form, start) and _is_whole(text, start, start + len(form)):
                yield start, start + len(form)
    yield from _find_wordless(text, wordless)


def _find_wordless(text: str, forms: Sequence[str]) -> Iterator[Found]:
    if not forms:
        return
    lengths = sorted({len(form) for form in forms})
    known = set(forms)
    starts = re.compile("|".join(re.escape(first) for first in {form[0] for form in forms}))
    for match in starts.finditer(text):
        start = match.start()
        for length in lengths:
            if text[start : start + length] in known and _is_whole(text, start, start + length):
                yield start, start + length


def _is_whole(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    return _WORD.match(before) is None and _WORD.match(after) is None


def _without_overlaps(found: Iterable[Found]) -> Iterator[Found]:
    """Yield the ranges, in order, that begin at or after the end of the one before."""
    done = 0
    for start, end in found:
        if start >= done:
            yield start, end
            done = end
