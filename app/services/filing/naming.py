"""The names a document gives and uses: aliases its header lists, and mentions in its text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from app.domain.artifact import Artifact
from app.domain.entity import Alias, Entity
from app.domain.surface_form import LONGEST_FORM, SHORTEST_FORM, fold
from app.domain.temporal import Interval
from app.services.analysis import query_terms
from app.services.filing.edges import Filed
from app.services.filing.write import Write
from app.stores.postgres import aliases, mentions, postings
from app.stores.postgres.mentions import Mention, NamedForm

EARLIER_MENTIONS = 1_000


def listed_aliases(props: dict[str, Any]) -> list[str]:
    """Answer the forms that a document's `aliases` header lists, as one text or several."""
    value = props.get("aliases")
    forms = value if isinstance(value, list) else [value]
    return [form.strip() for form in forms if isinstance(form, str) and form.strip()]


async def write_aliases(write: Write, filed: Filed, forms: Sequence[str]) -> list[str]:
    """Record the listed forms as aliases of the document; answers warnings for those left out."""
    warnings = []
    for form in forms:
        if not SHORTEST_FORM <= len(form) <= LONGEST_FORM:
            warnings.append(f"left out an alias of {len(form)} characters; 2 to {LONGEST_FORM} are kept")
            continue
        held = await aliases.believed_aliases(write.connection, write.tenant, filed.project.number, [form])
        if any(alias.target != filed.entity.id for alias in held):
            warnings.append(f"left out the alias {form}: it means another entity")
        elif not held:
            await _insert(write, filed, form)
    return warnings


async def _insert(write: Write, filed: Filed, form: str) -> None:
    alias = Alias(
        id=uuid4(),
        surface_form=form,
        target=filed.entity.id,
        source=None,
        tier=write.caller.tier,
        source_artifact=filed.artifact.id,
        valid=Interval(filed.artifact.created_at),
    )
    await aliases.insert_alias(
        write.connection, write.tenant, filed.project.number, alias, write.recorded_at, write.actor
    )
    await _note_earlier_mentions(write, filed, NamedForm(filed.entity.id, form, fold(form)))


async def _note_earlier_mentions(write: Write, filed: Filed, form: NamedForm) -> None:
    """Record which artifacts used a form before anybody said what it means."""
    terms = query_terms(form.form)
    if not terms:
        return
    holding = await postings.artifacts_holding(
        write.connection, write.tenant, filed.project.number, terms, EARLIER_MENTIONS
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

    Forms compare after folding; a form of one plain word must be written exactly as it is, since a
    common word in lower case means itself.
    """
    if not forms:
        return Counter()
    by_folded = {form.folded_form: form for form in forms}
    pattern = "|".join(re.escape(folded) for folded in sorted(by_folded, key=len, reverse=True))
    found = Counter(
        by_folded[match.group()] for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", fold(text))
    )
    composed = unicodedata.normalize("NFKC", text)
    return Counter({form: count for form, count in found.items() if _is_meant(form.form, composed)})


def _is_meant(form: str, text: str) -> bool:
    if not form.isalpha():
        return True
    return re.search(rf"(?<!\w){re.escape(unicodedata.normalize('NFKC', form))}(?!\w)", text) is not None


async def note_mentions(write: Write, filed: Filed) -> None:
    """Record which aliases and names of things the document's text uses."""
    forms = await mentions.forms_to_look_for(write.connection, write.tenant, filed.project.number)
    found = find_forms(_text(filed.artifact), [form for form in forms if _is_other(form, filed.entity)])
    await mentions.insert_mentions(
        write.connection,
        write.tenant,
        [Mention(filed.artifact.id, form.entity, form, count) for form, count in found.items()],
        write.recorded_at,
    )


def _text(artifact: Artifact) -> str:
    return f"{artifact.title}\n{artifact.body}"


def _is_other(form: NamedForm, entity: Entity) -> bool:
    return form.entity != entity.id
