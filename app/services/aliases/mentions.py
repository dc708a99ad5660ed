"""Find the names that texts use, and record them as mentions."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from app.domain.artifact import Artifact, Document
from app.domain.numbers import ProjectNumber
from app.domain.text import fold, may_be_a_word, without_invisible, without_stacks
from app.services.analysis import query_terms
from app.services.document_reader import document_reader
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import mentions
from app.stores.postgres.lexical import postings
from app.stores.postgres.mentions import Mention, NamedForm

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


@dataclass(frozen=True, slots=True)
class SoughtForms:
    """The forms that were searched for in a text, and how often the text uses each."""

    forms: frozenset[NamedForm] = frozenset()
    counts: Mapping[NamedForm, int] = field(default_factory=dict)


NOTHING_SOUGHT = SoughtForms()


def text_of(document: Document | Artifact) -> str:
    """Return the text that names are searched in."""
    return f"{document.title}\n{document.body}"


def find_forms(text: str, forms: Sequence[NamedForm]) -> Counter[NamedForm]:
    """Return how often a text uses each form, whole words only, the longest form first.

    Forms compare after folding; a form that may be an ordinary word must be written exactly as it is, since
    a common word in lower case means itself, unless the text names the same thing beyond doubt elsewhere.
    """
    return _counts_of_meant(forms, forms_used(text, _pairs(forms))) if forms else Counter()


async def seek_forms(text: str, forms: Sequence[NamedForm]) -> SoughtForms:
    """Return what `find_forms` returns, computed in another process.

    Raises Invalid if that takes too long.
    """
    if not forms:
        return SoughtForms()
    used = await document_reader().run(len(text), forms_used, text, _pairs(forms))
    return SoughtForms(frozenset(forms), _counts_of_meant(forms, used))


def _pairs(forms: Sequence[NamedForm]) -> list[tuple[str, str]]:
    return [(form.form, form.folded_form) for form in forms]


def _counts_of_meant(forms: Sequence[NamedForm], used: Sequence[Used]) -> Counter[NamedForm]:
    named = {forms[each.place].entity for each in used if each.is_meant}
    counts = {forms[each.place]: each.times for each in used}
    return Counter({form: count for form, count in counts.items() if form.entity in named})


EARLIER_MENTIONS = 1_000


async def note_earlier_mentions(write: UnitOfWork, project: ProjectNumber, form: NamedForm) -> None:
    """Record the artifacts of a project that used a form before its meaning was known."""
    terms = query_terms(form.form)
    if not terms:
        return
    holding = await postings.artifacts_holding(
        await write.flush(searched=True), write.tenant, project, terms, EARLIER_MENTIONS
    )
    found = [
        Mention(held.artifact, form.entity, form, count)
        for held in holding
        if held.entity != form.entity
        for count in find_forms(held.text, [form]).values()
    ]
    await mentions.insert_mentions(write.rows, write.tenant, found, write.recorded_at)
