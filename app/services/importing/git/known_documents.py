"""Matching the documents of a repository with the documents that the ledger has already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import asyncpg

from app.domain.artifact import Document
from app.domain.entity import Project
from app.domain.identifier import bare_key, identifier_key
from app.domain.numbers import TenantNumber
from app.domain.temporal import Branch
from app.domain.text import fold
from app.services.filing.document_names import listed_aliases
from app.services.importing.git.repository import Repository, RepositoryDocument
from app.services.importing.history.model import DocumentHistory, History
from app.services.importing.items import Items, Readable
from app.stores.postgres import entities, projects, states
from app.stores.postgres.entities import KeyedEntity
from app.stores.postgres.pool import Database


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """A document under its identifier in the ledger, its other identifiers as aliases; and its history."""

    document: Document
    history: DocumentHistory


async def match_documents(
    database: Database, tenant: TenantNumber, project_key: str, repository: Repository
) -> list[KnownDocument]:
    """Return each document of a repository under its identifier in the ledger.

    A document whose number or path changed since it was filed keeps its identifier.
    """
    async with database.reading(tenant) as connection:
        project = await projects.project_by_key(connection, tenant, project_key)
        known = [await _match(connection, tenant, project, each) for each in repository.documents]
    return [replace(each, history=replace(each.history, is_cut=repository.is_shallow)) for each in known]


async def _match(
    connection: asyncpg.Connection, tenant: TenantNumber, project: Project | None, found: RepositoryDocument
) -> KnownDocument:
    named = found.document.identifier or found.document.source_uri or ""
    held = None
    if project is not None and (found.former_identifiers or found.former_sources):
        held = await _held_before(connection, tenant, project, found)
    identifier = named if held is None else held
    other = [
        form
        for name in (named, *found.former_identifiers)
        if identifier_key(name) != identifier_key(identifier)
        for form in (name, identifier_key(name))
    ]
    document = replace(found.document, identifier=identifier, props=_add_aliases(found.document, other))
    return KnownDocument(document, DocumentHistory(identifier, found.states, found.changed))


async def _held_before(
    connection: asyncpg.Connection, tenant: TenantNumber, project: Project, found: RepositoryDocument
) -> str | None:
    """Return the identifier of the document that was filed from an earlier edition.

    It is None where no earlier edition is filed, or the present identifier is filed as well.
    """
    where = (connection, tenant, project.number)
    key = identifier_key(found.document.identifier or "")
    if await entities.entity_by_key(*where, key) is not None:
        return None
    for name in found.former_identifiers:
        entity = await entities.entity_by_key(*where, identifier_key(name))
        if entity is not None:
            return name
    by_source = await entities.entities_by_source(*where, list(found.former_sources))
    earlier = (by_source[source] for source in found.former_sources if source in by_source)
    own = next((entity for entity in earlier if _may_be(found, entity)), None)
    return None if own is None else await _identifier_of(connection, tenant, own)


def _may_be(found: RepositoryDocument, entity: KeyedEntity) -> bool:
    """Return whether an entity filed from a path can be this document."""
    stated = {bare_key(identifier_key(name)) for name in found.former_identifiers}
    return not found.always_states or entity.bare_key in stated


async def _identifier_of(connection: asyncpg.Connection, tenant: TenantNumber, entity: KeyedEntity) -> str:
    held = await states.current_states(connection, tenant, entity.id, Branch.COMMITTED)
    stated = held[-1].props.get("identifier")
    return stated if isinstance(stated, str) else entity.key


def _add_aliases(document: Document, other: Sequence[str]) -> dict[str, Any]:
    if not other:
        return document.props
    forms = {fold(form): form for form in (*other, *listed_aliases(document.props))}
    return document.props | {"aliases": list(forms.values())}


def history_of(known: Sequence[KnownDocument]) -> History:
    """Return the histories that follow from the editions, by the keys of the documents."""
    return History({identifier_key(each.history.identifier): each.history for each in known})


def items_of(known: Sequence[KnownDocument]) -> Items:
    """Yield the documents to file, in order."""

    def items() -> Iterator[Readable]:
        for each in known:
            yield Readable(each.document.source_uri or each.history.identifier, each.document)

    return items()
