"""Find the names that texts use, and record them as mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.artifact import Artifact, Document
from app.services.analysis import query_terms
from app.services.document_reader import document_reader
from app.services.parsing.form_search import Used, forms_used
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import mentions
from app.stores.postgres.lexical import postings
from app.stores.postgres.mentions import Mention, NamedForm


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


async def note_earlier_mentions(write: UnitOfWork, project: int, form: NamedForm) -> None:
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
