"""Write the names of a document: the aliases that its header lists, and the mentions in its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from typing import Any
from uuid import UUID, uuid4

from app.domain.artifact import Document
from app.domain.bounds import MAX_SURFACE_FORM
from app.domain.entity import Alias, Entity
from app.domain.identifier import bare_key, identifier_key
from app.domain.temporal import EntityState, Interval
from app.domain.text import fold
from app.services.aliases.mentions import SoughtForms, find_forms, note_earlier_mentions, text_of
from app.services.aliases.rules import is_of_fit_length, named_from
from app.services.cached_lookups import aliases_of, documents_of_names, forms_to_look_for
from app.services.parsing.target_readings import file_key
from app.services.references.edges import Filed, Joined
from app.services.references.pending import join_pending_by_name
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import aliases, entities, mentions
from app.stores.postgres import document_names as names
from app.stores.postgres.document_names import DocumentName, NameSort
from app.stores.postgres.mentions import Mention, NamedForm

MAX_ALIASES = 256


def listed_aliases(props: dict[str, Any]) -> list[str]:
    """Return the forms that a document's `aliases` header lists, one text or several."""
    value = props.get("aliases")
    forms = value if isinstance(value, list) else [value]
    return [form.strip() for form in forms if isinstance(form, str) and form.strip()]


async def record_names(
    write: UnitOfWork, filed: Filed, document: Document, before: Sequence[EntityState]
) -> set[str]:
    """Record by which names other documents may link to this one; return the keys of those that are new.

    `before` holds the states believed of the document until now, none if it is new.
    """
    stated, entity = names_of(document), filed.entity.id
    every = await names.names_of(await write.flush(), write.tenant, entity) if before else set()
    former = {name for name in every if name[1] is NameSort.FORMER}
    held = every - former
    if gone := held - stated:
        await names.close_names(await write.flush(), write.tenant, entity, gone, write.recorded_at)
    added = stated - held
    await names.insert_names(
        write.rows, write.tenant, filed.project.number, filed.entity.id, added, write.recorded_at
    )
    write.cached.note_names(filed.entity, filed.artifact.source_uri, added)
    keys = {key for key, _ in added}
    is_back = not held  # what was withdrawn has no names until it is filed again
    if is_back:
        keys |= {bare_key(filed.key), *(key for key, _ in former)}
    if is_back or before[-1].props.get("title") != filed.artifact.title:
        keys.add(bare_key(identifier_key(filed.artifact.title)))
    return keys


def names_of(document: Document) -> set[DocumentName]:
    """Return the names by which other documents may link to a document, beside its identifier and title."""
    listed = listed_aliases(document.props)[:MAX_ALIASES]
    found = {(alias_key(form), NameSort.ALIAS) for form in listed if is_of_fit_length(form)}
    if document.source_uri:
        found.add((file_key(document.source_uri), NameSort.FILE))
    if document.stated_identifier is not None:
        found.add((identifier_key(document.stated_identifier), NameSort.IDENTIFIER))
    return found


def alias_key(form: str) -> str:
    """Return the key of an alias as the name of a document."""
    return bare_key(identifier_key(form))


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
    if listing := await _also_listing(write, filed, form):
        await _retract_listed(write, current, listing)
        return f"left out the alias {form}: it means another entity"
    others = await _named_like(write, filed, form)
    if others or any(alias.target != filed.entity.id for alias in current):
        begins = min((each.created_at for each in others), default=filed.artifact.created_at)
        if not held and filed.artifact.created_at < begins:
            await _insert(write, filed, form, Interval(filed.artifact.created_at, begins))
        return f"left out the alias {form}: it means another entity"
    if not current:
        ends = [alias.valid.end for alias in held if alias.valid.end is not None]
        await _insert(write, filed, form, Interval(max([filed.artifact.created_at, *ends])))
        await join_pending_by_name(write, filed.project, filed.entity, [form], joined)
    return None


async def _also_listing(write: UnitOfWork, filed: Filed, form: str) -> set[UUID]:
    """Return the other documents that list an alias: it then means none of them alone."""
    key = alias_key(form)
    found = (await documents_of_names(write, filed.project, [key])).get(key, [])
    listing = {each.entity.id for each in found if each.sort is NameSort.ALIAS}
    return listing - {filed.entity.id}


async def _retract_listed(write: UnitOfWork, held: Sequence[Alias], listing: Container[UUID]) -> None:
    """Stop believing aliases that documents list and that mean nothing alone."""
    for alias in held:
        if alias.target in listing and alias.source is None and alias.source_artifact is not None:
            await aliases.retract_alias(await write.flush(), write.tenant, alias.id, write.recorded_at)
            write.cached.note_alias()


async def _named_like(write: UnitOfWork, filed: Filed, form: str) -> list[Entity]:
    """Return the other entities that have a form as their identifier, or as their name from now on."""
    named = await named_from(write, filed.project.number, form, write.recorded_at)
    others = list(named - {filed.entity.id})
    return (
        list((await entities.entities_by_id(await write.flush(), write.tenant, others)).values())
        if others
        else []
    )


async def _end_unlisted(write: UnitOfWork, filed: Filed, forms: Sequence[str]) -> None:
    listed = {fold(form) for form in forms}
    for alias in await aliases.stated_aliases(await write.flush(), write.tenant, filed.entity.id):
        if fold(alias.surface_form) not in listed:
            await _end(write, filed, alias)


def spellings_of(identifier: str | None, key: str, title: str) -> list[str]:
    """Return the forms of a document that outrank an alias: its identifier, its key and its title."""
    return [form for form in (identifier, key, title) if form]


async def _end_outranked(write: UnitOfWork, filed: Filed) -> None:
    """End an alias of another entity that is spelled like this document's identifier, which outranks it.

    An alias that another document lists gives way to this one's title as well.
    """
    title = filed.artifact.title
    for alias in await aliases_of(write, spellings_of(filed.artifact.identifier, filed.key, title)):
        is_of_another = alias.target != filed.entity.id and alias.valid.end is None
        if is_of_another and (
            fold(alias.surface_form) != fold(title) or await _is_listed(write, filed, alias)
        ):
            await _end(write, filed, alias)


async def _is_listed(write: UnitOfWork, filed: Filed, alias: Alias) -> bool:
    return alias.target in await _also_listing(write, filed, alias.surface_form)


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


async def _insert(write: UnitOfWork, filed: Filed, form: str, valid: Interval) -> None:
    alias = Alias(
        id=uuid4(),
        surface_form=form,
        target=filed.entity.id,
        source=None,
        tier=write.caller.tier,
        source_artifact=filed.artifact.id,
        valid=valid,
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
