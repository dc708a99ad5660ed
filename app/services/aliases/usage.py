"""Which texts use a name."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from app.domain.surface_form import fold, may_be_a_word
from app.services.analysis import query_terms
from app.services.write import Write
from app.stores.postgres import mentions, postings
from app.stores.postgres.mentions import Mention, NamedForm

EARLIER_MENTIONS = 1_000


async def note_earlier_mentions(write: Write, project: int, form: NamedForm) -> None:
    """Record which artifacts of a project used a form before anybody said what it means."""
    terms = query_terms(form.form)
    if not terms:
        return
    holding = await postings.artifacts_holding(
        write.connection, write.tenant, project, terms, EARLIER_MENTIONS
    )
    found = [
        Mention(held.artifact, form.entity, form, count)
        for held in holding
        if held.entity != form.entity
        for count in find_forms(held.text, [form]).values()
    ]
    await mentions.insert_mentions(write.connection, write.tenant, found, write.recorded_at)


def find_forms(text: str, forms: Sequence[NamedForm]) -> Counter[NamedForm]:
    """Answer how often a text uses each form, whole words only, the longest form first.

    Forms compare after folding; a form that may be an ordinary word must be written exactly as it is, since
    a common word in lower case means itself, unless the text names the same thing beyond doubt elsewhere.
    """
    if not forms:
        return Counter()
    by_folded = {form.folded_form: form for form in forms}
    pattern = "|".join(re.escape(folded) for folded in sorted(by_folded, key=len, reverse=True))
    found = Counter(
        by_folded[match.group()] for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", fold(text))
    )
    composed = unicodedata.normalize("NFKC", text)
    named = {form.entity for form in found if _is_meant(form.form, composed)}
    return Counter({form: count for form, count in found.items() if form.entity in named})


def _is_meant(form: str, text: str) -> bool:
    if not may_be_a_word(form):
        return True
    return re.search(rf"(?<!\w){re.escape(unicodedata.normalize('NFKC', form))}(?!\w)", text) is not None
