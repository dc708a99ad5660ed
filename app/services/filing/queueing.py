"""What a document's text suggests and nobody has confirmed: queued for review."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from app.domain.artifact import Document
from app.domain.identifier import bare_key
from app.domain.surface_form import name_key
from app.services.filing.edges import Filed
from app.services.filing.looking_up import entities_of_keys, entities_of_names
from app.services.parsing.ways import target_key
from app.services.write import Write
from app.stores.postgres import candidates, lookups


def subjects_of(document: Document) -> set[str]:
    """Return what the likely aliases and facts of a document are said of, where they name it."""
    claimed = {fact.subject for fact in document.fact_claims if fact.subject is not None}
    return claimed | {alias.subject for alias in document.alias_claims}


def subject_keys(subject: str, own_key: str) -> list[str]:
    """Return the keys under which the document of a key means a subject."""
    key = target_key(subject, own_key)
    return [key, bare_key(key)]


async def queue_candidates(write: Write, filed: Filed, document: Document) -> int:
    """Queue the likely aliases and facts of a document; answers how many are new."""
    where = (write.connection, write.tenant, filed.project.number)
    queued, properties = 0, dict[UUID, Collection[str]]()
    for alias in document.alias_claims:
        about = await _subject(write, filed, alias.subject)
        queued += await candidates.queue_alias(*where, about, filed.artifact.id, alias, write.recorded_at)
    for fact in document.fact_claims:
        about = filed.entity.id if fact.subject is None else await _subject(write, filed, fact.subject)
        if about not in properties:
            properties[about] = await _properties(write, about)
        if fact.property in properties[about]:
            queued += await candidates.queue_fact(*where, about, filed.artifact.id, fact, write.recorded_at)
    return queued


async def _properties(write: Write, entity: UUID) -> Collection[str]:
    """Return the properties of an entity that may change: nobody could promote a fact about another."""
    found = await lookups.types_of_entities(write.connection, write.tenant, [entity])
    return found[entity].mutable_props


async def _subject(write: Write, filed: Filed, subject: str) -> UUID:
    """Answer the entity that a claim is about: the one of its identifier or name, or else the document."""
    name = name_key(subject)
    found = await entities_of_keys(write, filed.project, subject_keys(subject, filed.key))
    named = found or (await entities_of_names(write, filed.project, [name])).get(name, [])
    return named[0].id if len(named) == 1 else filed.entity.id
