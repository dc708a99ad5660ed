"""Which texts use a name."""

from __future__ import annotations

from app.services.aliases.finding import find_forms
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
