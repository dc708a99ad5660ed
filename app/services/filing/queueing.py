"""What a document's text suggests and nobody has confirmed: queued for review."""

from __future__ import annotations

from uuid import UUID

from app.domain.artifact import Document
from app.domain.identifier import bare_key
from app.domain.surface_form import name_key
from app.services.filing.edges import Filed
from app.services.filing.looking_up import entities_of_keys, entities_of_names
from app.services.parsing.ways import target_key
from app.services.write import Write
from app.stores.postgres import candidates, lookups


async def queue_candidates(write: Write, filed: Filed, document: Document) -> int:
    """Queue the likely aliases and facts of a document; answers how many are new."""
    where = (write.connection, write.tenant, filed.project.number)
    queued = 0
    for alias in document.alias_claims:
        about = await _subject(write, filed, alias.subject)
        queued += await candidates.queue_alias(*where, about, filed.artifact.id, alias, write.recorded_at)
    for fact in document.fact_claims:
        about = filed.entity.id if fact.subject is None else await _subject(write, filed, fact.subject)
        if await _may_have(write, about, fact.property):
            queued += await candidates.queue_fact(*where, about, filed.artifact.id, fact, write.recorded_at)
    return queued


async def _may_have(write: Write, entity: UUID, property: str) -> bool:
    """Tell whether the type of an entity has a property that may change: nobody could promote another."""
    found = await lookups.types_of_entities(write.connection, write.tenant, [entity])
    return property in found[entity].mutable_props


async def _subject(write: Write, filed: Filed, subject: str) -> UUID:
    """Answer the entity that a claim is about: the one of its identifier or name, or else the document."""
    key, name = target_key(subject, filed.key), name_key(subject)
    found = await entities_of_keys(write, filed.project, [key, bare_key(key)])
    named = found or (await entities_of_names(write, filed.project, [name])).get(name, [])
    return named[0].id if len(named) == 1 else filed.entity.id
