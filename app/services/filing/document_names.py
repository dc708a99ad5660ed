"""Write the names of a document: the aliases that its header lists, and the mentions in its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from app.domain.bounds import MAX_SURFACE_FORM
from app.domain.entity import Alias
from app.domain.temporal import Interval
from app.domain.text import fold
from app.services.aliases.mentions import SoughtForms, find_forms, note_earlier_mentions, text_of
from app.services.aliases.rules import is_of_fit_length, named_from
from app.services.cached_lookups import aliases_of, forms_to_look_for
from app.services.references.edges import Filed, Joined
from app.services.references.pending import join_pending_by_name
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import aliases, mentions
from app.stores.postgres.mentions import Mention, NamedForm

MAX_ALIASES = 256


def listed_aliases(props: dict[str, Any]) -> list[str]:
    """Return the forms that a document's `aliases` header lists, one text or several."""
    value = props.get("aliases")
    forms = value if isinstance(value, list) else [value]
    return [form.strip() for form in forms if isinstance(form, str) and form.strip()]


async def write_aliases(
    write: UnitOfWork, filed: Filed, forms: Sequence[str], joined: Joined, *, is_new: bool
) -> list[str]:
    """Record the listed forms as aliases of the document, and end those it no longer lists.

    Pending references to a form are resolved. A form that means something else already is left out, and so
    are forms beyond MAX_ALIASES. Return a warning for each that is left out.
    """
    warnings = _too_many(forms)
    forms = forms[:MAX_ALIASES]
    if not is_new:
        await _end_unlisted(write, filed, forms)
    await _end_outranked(write, filed)
    for form in forms:
        warning = _unfit(form) or await _write_alias(write, filed, form, joined)
        warnings += [warning] if warning else []
    return warnings


def _too_many(forms: Sequence[str]) -> list[str]:
    beyond = len(forms) - MAX_ALIASES
    return [f"left out {beyond} aliases: a document has at most {MAX_ALIASES}"] if beyond > 0 else []


def _unfit(form: str) -> str | None:
    if not is_of_fit_length(form):
        return f"left out an alias of {len(form)} characters; an alias has 2 to {MAX_SURFACE_FORM}"
    return None


async def _write_alias(write: UnitOfWork, filed: Filed, form: str, joined: Joined) -> str | None:
    """Record an alias unless it is there; return a warning if it is left out."""
    held = await aliases_of(write, [form])
    current = [alias for alias in held if alias.valid.end is None]
    if any(alias.target != filed.entity.id for alias in current) or await _names_another(write, filed, form):
        return f"left out the alias {form}: it means another entity"
    if not current:
        ends = [alias.valid.end for alias in held if alias.valid.end is not None]
        await _insert(write, filed, form, max([filed.artifact.created_at, *ends]))
        await join_pending_by_name(write, filed.project, filed.entity, [form], joined)
    return None


async def _names_another(write: UnitOfWork, filed: Filed, form: str) -> bool:
    """Return whether a form is the identifier of another entity, or its name from now on."""
    named = await named_from(write, filed.project.number, form, write.recorded_at)
    return bool(named - {filed.entity.id})


async def _end_unlisted(write: UnitOfWork, filed: Filed, forms: Sequence[str]) -> None:
    listed = {fold(form) for form in forms}
    for alias in await aliases.stated_aliases(await write.flush(), write.tenant, filed.entity.id):
        if fold(alias.surface_form) not in listed:
            await _end(write, filed, alias)


def spellings_of(identifier: str | None, key: str) -> list[str]:
    """Return the forms of a document that outrank an alias: its identifier and its key."""
    return [form for form in (identifier, key) if form]


async def _end_outranked(write: UnitOfWork, filed: Filed) -> None:
    """End an alias of another entity that is spelled like this document's identifier, which outranks it."""
    spellings = spellings_of(filed.artifact.identifier, filed.key)
    for alias in await aliases_of(write, spellings):
        if alias.target != filed.entity.id and alias.valid.end is None:
            await _end(write, filed, alias)


async def _end(write: UnitOfWork, filed: Filed, alias: Alias) -> None:
    await aliases.end_alias(
        await write.flush(),
        write.tenant,
        filed.project.number,
        alias,
        filed.artifact.created_at,
        write.recorded_at,
        write.actor,
        write.rows,
    )
    write.cached.note_alias()


async def _insert(write: UnitOfWork, filed: Filed, form: str, start: datetime) -> None:
    alias = Alias(
        id=uuid4(),
        surface_form=form,
        target=filed.entity.id,
        source=None,
        tier=write.caller.tier,
        source_artifact=filed.artifact.id,
        valid=Interval(start),
    )
    await aliases.insert_alias(
        write.rows, write.tenant, filed.project.number, alias, write.recorded_at, write.actor
    )
    write.cached.note_alias()
    await note_earlier_mentions(write, filed.project.number, NamedForm(filed.entity.id, form, fold(form)))


async def note_mentions(write: UnitOfWork, filed: Filed, sought: SoughtForms) -> None:
    """Record which aliases and names of things the document's text uses.

    `sought` holds the forms that were searched for before this write began; newer forms are searched now.
    """
    forms = [form for form in await forms_to_look_for(write) if form.entity != filed.entity.id]
    known = set(forms)
    counts = Counter({form: count for form, count in sought.counts.items() if form in known})
    new = [form for form in forms if form not in sought.forms]
    if new:
        counts += find_forms(text_of(filed.artifact), new)
    await mentions.insert_mentions(
        write.rows,
        write.tenant,
        [Mention(filed.artifact.id, form.entity, form, count) for form, count in counts.items()],
        write.recorded_at,
    )
