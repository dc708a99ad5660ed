"""Look up keys, names and aliases: in the lookup cache if the write has one, else in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from app.domain.entity import Alias, Entity, Project
from app.domain.numbers import ArtifactNumber
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import artifacts, document_names, entities, references, type_definitions
from app.stores.postgres.document_names import DocumentByName, StatedClaim
from app.stores.postgres.entities import KeyedEntity
from app.stores.postgres.mentions import NamedForm
from app.stores.postgres.references import PendingReferenceRow
from app.stores.postgres.type_definitions import RecordedType


async def load_types(write: UnitOfWork, project: Project) -> list[RecordedType]:
    """Return the types of a project, with those that every project has, by name."""
    seen = write.cached
    if seen.types is None:
        seen.types = await type_definitions.types_in_projects(
            await write.flush(), write.tenant, [project.number]
        )
    return seen.types


def forget_types(write: UnitOfWork) -> None:
    """Drop the cached types, since this write defined or widened one."""
    write.cached.types = None


async def next_number(write: UnitOfWork) -> ArtifactNumber:
    """Return the number of the next artifact of a write; they rise in the order in which it writes them."""
    if write.lookup_cache is None:
        return (await artifacts.take_numbers(await write.flush(), 1))[0]
    if not write.cached.numbers:
        write.cached.numbers += await artifacts.take_numbers(await write.flush(), 1)
    return write.cached.numbers.pop()


async def entity_of_key(write: UnitOfWork, key: str) -> Entity | None:
    """Return the entity with this key in the project that documents are filed into."""
    found = await write.cached.own.find([key])
    return found[key][0] if found else None


async def entities_of_keys(write: UnitOfWork, project: Project, keys: Sequence[str]) -> list[KeyedEntity]:
    """Return the entities with one of these keys, whole or without the namespace, by key."""
    if write.lookup_cache is None:
        return await entities.entities_by_keys(await write.flush(), write.tenant, project.number, keys)
    found = await write.lookup_cache.by_key.find(keys)
    every = {each.id: each for held in found.values() for each in held}
    return sorted(every.values(), key=lambda each: each.key)


async def entities_of_sources(
    write: UnitOfWork, project: Project, sources: Sequence[str]
) -> dict[str, KeyedEntity]:
    """Return the entities that came last from these sources, by source."""
    if write.lookup_cache is None:
        return await entities.entities_by_source(await write.flush(), write.tenant, project.number, sources)
    return {source: held[0] for source, held in (await write.lookup_cache.by_source.find(sources)).items()}


async def entities_of_names(
    write: UnitOfWork, project: Project, names: Sequence[str]
) -> dict[str, list[KeyedEntity]]:
    """Return the entities that have one of these folded names now, by name."""
    if write.lookup_cache is None:
        return await entities.entities_by_name(await write.flush(), write.tenant, project.number, names)
    return await write.lookup_cache.by_name.find(names)


async def entities_of_aliases(
    write: UnitOfWork, project: Project, names: Sequence[str]
) -> dict[str, list[KeyedEntity]]:
    """Return the entity that each of these folded names means now as an alias, by name."""
    if write.lookup_cache is None:
        return await entities.entities_by_alias(await write.flush(), write.tenant, project.number, names)
    return await write.lookup_cache.by_alias.find(names)


async def documents_of_names(
    write: UnitOfWork, project: Project, keys: Sequence[str]
) -> dict[str, list[DocumentByName]]:
    """Return the documents that state an identifier, lie in a file or list an alias of these keys, by key."""
    if write.lookup_cache is None:
        return await document_names.documents_by_names(
            await write.flush(), write.tenant, project.number, keys
        )
    return await write.lookup_cache.by_document_name.find(keys)


async def claims_under(write: UnitOfWork, keys: Sequence[str], but: UUID) -> list[StatedClaim]:
    """Return the claims under one of these keys of other documents than one, each once."""
    found = await write.cached.claims.find(keys)
    return list(dict.fromkeys(each for held in found.values() for each in held if each.source != but))


async def find_pending(
    write: UnitOfWork, project: Project, keys: Sequence[str], arrived: UUID
) -> list[PendingReferenceRow]:
    """Return the pending references of other entities under one of these keys, oldest first."""
    if write.lookup_cache is None:
        rows = await references.pending_on(await write.flush(), write.tenant, project.number, keys)
    else:
        found = (await write.lookup_cache.pending.find(keys)).values()
        rows = sorted((each for held in found for each in held), key=lambda each: (each[0], each[1].id))
    return [pending for _, pending in rows if pending.source != arrived]


async def aliases_of(write: UnitOfWork, forms: Sequence[str]) -> list[Alias]:
    """Return the aliases of these forms in the project that documents are filed into, valid at any time."""
    found = await write.cached.aliases.find(forms)
    return list({alias.id: alias for held in found.values() for alias in held}.values())


async def forms_to_look_for(write: UnitOfWork) -> list[NamedForm]:
    """Return the aliases, and present or former names of things, that the texts of a write may use."""
    return await write.cached.forms.all()
