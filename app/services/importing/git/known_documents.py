"""Matching the documents of a repository with the documents that the ledger has already."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import asyncpg

from app.domain.artifact import Document
from app.domain.entity import Project
from app.domain.identifier import bare_key, identifier_key
from app.domain.numbers import TenantNumber
from app.domain.temporal import Branch
from app.services.importing.git.lineage import Gap
from app.services.importing.git.repository import Repository, RepositoryDocument
from app.services.importing.history.model import DocumentHistory, History, PastText, with_aliases
from app.services.importing.items import Items, Readable, printable_name
from app.services.importing.name_collisions import Collision, NamedDocument, name_by_root
from app.services.parsing.vocabulary import vocabulary
from app.stores.postgres import absences, entities, projects, states
from app.stores.postgres.absences import ImportRoot, RootedDocument
from app.stores.postgres.entities import KeyedEntity
from app.stores.postgres.pool import Database


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """A document under its identifier in the ledger, others as aliases, with its history and its gaps.

    `collision` says which document of another root has the identifier that its path would give it.
    """

    document: Document
    history: DocumentHistory
    gaps: tuple[Gap, ...]
    collision: Collision | None = None


async def match_documents(
    database: Database, tenant: TenantNumber, project_key: str, repository: Repository
) -> list[KnownDocument]:
    """Return each document of a repository under its identifier in the ledger.

    A document whose number or path changed since it was filed keeps its identifier, and so does one that was
    filed from another root.
    """
    async with database.reading(tenant) as connection:
        project = await projects.project_by_key(connection, tenant, project_key)
        rooted = await absences.documents_of_roots(connection, tenant, project_key)
        root = None
        if project is not None:
            root = await absences.find_root(connection, tenant, project.number, root_of(repository))
        filed_as = _filed_as(repository, rooted, root)
        known = []
        for each in repository.documents:
            before = _filed_before(each, filed_as)
            apart = None if before else _apart_from_others(repository, each, rooted, root)
            found = await _match(connection, tenant, project, apart[0] if apart else each, before)
            known.append(replace(found, collision=apart[1]) if apart else found)
    line, is_cut = frozenset(repository.commits), repository.is_shallow
    return [replace(each, history=replace(each.history, line=line, is_cut=is_cut)) for each in known]


def root_of(repository: Repository) -> ImportRoot:
    """Return the root of a repository: its place, and the beginning of its history."""
    first = None if repository.is_shallow else repository.commits[0]
    return ImportRoot(printable_name(str(repository.top)), repository.prefix, first)


def _filed_as(repository: Repository, rooted: Sequence[RootedDocument], root: int | None) -> dict[str, str]:
    """Return under which identifiers files of a repository were filed, from it or from another root.

    An identifier that a document of the repository has is not among them.
    """
    stated = {identifier_key(each.document.identifier or "") for each in repository.documents}
    found = {}
    for each in rooted:
        if each.identifier is None or each.key in stated:
            continue
        if each.root == root:
            found[each.source_uri] = each.identifier
        elif each.path.is_relative_to(repository.top):
            found.setdefault(each.path.relative_to(repository.top).as_posix(), each.identifier)
    return found


def _filed_before(document: RepositoryDocument, filed_as: Mapping[str, str]) -> str | None:
    """Return under which identifier a document was filed from its path, or from one that it had before."""
    sources = [document.document.source_uri or ""]
    sources += document.former_sources if document.goes_by_path else ()
    return next((filed_as[source] for source in sources if source in filed_as), None)


def _apart_from_others(
    repository: Repository, found: RepositoryDocument, rooted: Sequence[RootedDocument], root: int | None
) -> tuple[RepositoryDocument, Collision] | None:
    """Return a document under a name of its own where its path names one of another root; None elsewhere.

    It is the same document if it has, or had, the text of that one.
    """
    name = found.document.identifier
    others = [each for each in rooted if each.key == identifier_key(name or "")]
    if name is None or not others or not found.goes_by_path or any(each.root == root for each in others):
        return None
    digests = set(map(_digest, found.texts))
    if any(each.path.is_relative_to(repository.top) or each.digest in digests for each in others):
        return None
    taken = {each.key for each in rooted}
    taken |= {identifier_key(each.document.identifier or "") for each in repository.documents}
    apart = name_by_root(PurePosixPath(repository.top), name, taken.__contains__)
    there = NamedDocument(printable_name(str(others[0].path)), name)
    here = NamedDocument(found.document.source_uri or "", apart)
    return replace(found, document=replace(found.document, identifier=apart)), Collision(name, (there, here))


def _digest(text: PastText) -> str:
    return hashlib.md5(text.document().body.encode(), usedforsecurity=False).hexdigest()


async def _match(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    project: Project | None,
    found: RepositoryDocument,
    filed_as: str | None,
) -> KnownDocument:
    named = found.document.identifier or found.document.source_uri or ""
    held = filed_as if not found.former_identifiers else None
    if held is None and project is not None and (found.former_identifiers or found.former_sources):
        held = await _held_before(connection, tenant, project, found)
    identifier = named if held is None else held
    other = [
        form
        for name in (named, *found.former_identifiers)
        if identifier_key(name) != identifier_key(identifier)
        for form in (name, identifier_key(name))
    ]
    kind = await _kind_of(connection, tenant, project, found.document.kind, identifier)
    document = with_aliases(replace(found.document, identifier=identifier, kind=kind), other)
    is_over = any(gap.valid.end is None for gap in found.gaps)
    history = DocumentHistory(
        identifier, found.states, found.claims, found.texts, tuple(other), is_over=is_over
    )
    return KnownDocument(document, history, found.gaps)


async def _kind_of(
    connection: asyncpg.Connection, tenant: TenantNumber, project: Project | None, kind: str, identifier: str
) -> str:
    """Return the kind of a document: the one it has, where its present place and text name none."""
    if project is None or kind != vocabulary().default_kind:
        return kind
    held = await entities.entity_by_key(connection, tenant, project.number, identifier_key(identifier))
    return kind if held is None else held.type_name


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


def history_of(known: Sequence[KnownDocument]) -> History:
    """Return the histories that follow from the editions, by the keys of the documents."""
    return History({identifier_key(each.history.identifier): each.history for each in known})


def items_of(known: Sequence[KnownDocument]) -> Items:
    """Yield the documents to file, in order."""

    def items() -> Iterator[Readable]:
        for each in known:
            yield Readable(each.document.source_uri or each.history.identifier, each.document)

    return items()
