"""The transaction that files one document: all of it, or nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from app.domain.artifact import Artifact, Document
from app.domain.entity import Entity, Project, Reference
from app.domain.identifier import bare_key
from app.domain.surface_form import fold
from app.domain.temporal import Branch, EntityState
from app.domain.timeline import Assertion, assert_from
from app.errors import Conflict
from app.services.filing import joining, naming
from app.services.filing.joining import Filed
from app.services.filing.kinds import DOCUMENT_HEADERS, type_of
from app.services.filing.preparation import PreparedDocument
from app.services.filing.supersession import supersede
from app.services.filing.targets import target_key
from app.services.filing.timelines import Cause, carry_out
from app.services.filing.write import Write
from app.stores.postgres import (
    artifacts,
    candidates,
    embeddings,
    entities,
    ledger,
    postings,
    projects,
    references,
    states,
)
from app.stores.postgres.ontology import RecordedType


@dataclass(frozen=True, slots=True)
class FiledDocument:
    """What filing a document left in the ledger; `created` is false when nothing changed."""

    artifact: Artifact
    entity: Entity
    state: EntityState
    created: bool
    references: tuple[Reference, ...] = ()
    candidates: int = 0
    position: int | None = None
    warnings: tuple[str, ...] = ()


async def project_for(write: Write, key: str) -> Project:
    """Answer the project of this key, made when it is new."""
    found = await projects.project_by_key(write.connection, write.tenant, key)
    if found is not None:
        return found
    return await projects.insert_project(write.connection, write.tenant, key, write.recorded_at)


async def write_document(
    write: Write, project: Project, prepared: PreparedDocument, *, defines_kinds: bool
) -> FiledDocument:
    """File a prepared document, unless its latest version says the same already."""
    recorded_type, warnings = await type_of(write, project, prepared.document, defines_kinds=defines_kinds)
    entity, latest = await _identity(write, project, prepared, recorded_type)
    if latest is not None and latest.content_hash == prepared.content_hash:
        return await unchanged(write.connection, write.tenant, entity, latest)
    created_at = await _version_date(write, prepared.document, entity)
    artifact = _artifact(write, project, prepared, recorded_type, entity, created_at)
    if latest is None:
        entity = replace(entity, created_at=artifact.created_at, source_artifact=artifact.id)
        await entities.insert_entity(
            write.connection, write.tenant, entity, recorded_type.number, write.recorded_at, write.actor
        )
    artifact = await _write_searchable(write, prepared, recorded_type, artifact)
    filed = Filed(project, entity, artifact, prepared.key)
    await _write_state(write, filed, prepared.document, recorded_type, is_new=latest is None)
    return await _write_meaning(write, filed, prepared.document, warnings, is_new=latest is None)


async def unchanged(
    connection: asyncpg.Connection, tenant: int, entity: Entity, latest: Artifact
) -> FiledDocument:
    """Answer what is there already."""
    held = await states.believed_states(connection, tenant, entity.id, Branch.COMMITTED)
    return FiledDocument(latest, entity, _state_of(held, latest.id), created=False)


async def _identity(
    write: Write, project: Project, prepared: PreparedDocument, recorded_type: RecordedType
) -> tuple[Entity, Artifact | None]:
    """Answer the entity a document is a version of, and its latest version; a new one is not written."""
    name = recorded_type.definition.name
    held = await entities.entity_by_key(write.connection, write.tenant, project.number, prepared.key)
    if held is None:
        return Entity(uuid4(), name, project.number, prepared.key, write.recorded_at, None), None
    if fold(held.type_name) != fold(name):
        raise Conflict(
            f"{prepared.document.identifier or prepared.key} is a {held.type_name} in this project already;"
            f" file it as {held.type_name} or give it another identifier",
            field="kind",
        )
    return held, await artifacts.latest_version(write.connection, write.tenant, held.id)


def _artifact(
    write: Write,
    project: Project,
    prepared: PreparedDocument,
    recorded_type: RecordedType,
    entity: Entity,
    created_at: datetime,
) -> Artifact:
    document = prepared.document
    return Artifact(
        id=uuid4(),
        number=0,
        project=project.number,
        kind=recorded_type.definition.name,
        identifier=document.identifier,
        title=document.title,
        body=document.body,
        domain=document.domain,
        created_at=created_at,
        recorded_at=write.recorded_at,
        source_uri=document.source_uri,
        source_commit=document.source_commit,
        author=document.author,
        content_hash=prepared.content_hash,
        entity=entity.id,
    )


async def _version_date(write: Write, document: Document, entity: Entity) -> datetime:
    """Answer when a version takes effect: by its date, or now when that is not after every other one's."""
    dated = document.created_at or write.recorded_at
    latest = await artifacts.latest_version_date(write.connection, write.tenant, entity.id)
    return dated if latest is None or dated > latest else write.recorded_at


async def _write_searchable(
    write: Write, prepared: PreparedDocument, recorded_type: RecordedType, artifact: Artifact
) -> Artifact:
    length = prepared.analysed.length
    number = await artifacts.insert_artifact(
        write.connection, write.tenant, artifact, recorded_type.number, length, write.actor
    )
    await artifacts.insert_passages(write.connection, write.tenant, number, prepared.passages)
    times = (artifact.created_at, artifact.recorded_at)
    await embeddings.insert_embeddings(
        write.connection, write.tenant, artifact.project, number, *times, prepared.vectors
    )
    await postings.insert_postings(
        write.connection, write.tenant, artifact.project, number, prepared.analysed.terms, length
    )
    await postings.count_document(write.connection, write.tenant, artifact.project, length, *times)
    return replace(artifact, number=number)


async def _write_state(
    write: Write, filed: Filed, document: Document, recorded_type: RecordedType, *, is_new: bool
) -> None:
    held = await states.believed_states(write.connection, write.tenant, filed.entity.id, Branch.COMMITTED)
    props = _props(document, recorded_type, held)
    assertion = Assertion(filed.entity.id, props, filed.artifact.id, write.actor)
    change = assert_from(held, assertion, filed.artifact.created_at, write.recorded_at)
    event = _event_type(held[-1].props, props) if held else "created"
    cause = Cause(event, artifact=filed.artifact.id, commit=document.source_commit)
    await carry_out(write, change, cause)


def _props(document: Document, recorded_type: RecordedType, held: list[EntityState]) -> dict[str, Any]:
    """Answer what the document's header says of its entity, immutable properties as first written."""
    definition = recorded_type.definition
    unknown = {*definition.unknown_props(document.props), *DOCUMENT_HEADERS}
    props = {name: value for name, value in document.props.items() if name not in unknown}
    props["title"] = document.title
    if document.status:
        props["status"] = document.status
    if document.author:
        props["author"] = document.author
    if document.identifier:
        props["identifier"] = document.identifier
    for name in definition.immutable_props:
        if held:
            props.pop(name, None)
            props.update({name: held[0].props[name]} if name in held[0].props else {})
    return props


def _event_type(before: dict[str, Any], after: dict[str, Any]) -> str:
    if before.get("status") != after.get("status"):
        return "status_transition"
    return "rename" if before.get("title") != after.get("title") else "revision"


async def _write_meaning(
    write: Write, filed: Filed, document: Document, warnings: tuple[str, ...], *, is_new: bool
) -> FiledDocument:
    if not is_new:
        await references.close_pending_of(write.connection, write.tenant, filed.entity.id, write.recorded_at)
    joined = await joining.join_claims(write, filed, document.references)
    if not is_new:
        await references.end_dropped_references(
            write.connection,
            write.tenant,
            filed.entity.id,
            joined.edges,
            filed.artifact.created_at,
            write.recorded_at,
            write.actor,
        )
    arrived = await joining.join_pending(write, filed)
    named = await naming.write_aliases(write, filed, naming.listed_aliases(document.props))
    await naming.note_mentions(write, filed)
    queued = await _queue_candidates(write, filed, document)
    for supersession in (*joined.supersessions, *arrived.supersessions):
        await supersede(write, supersession)
    position = await ledger.settle(write.connection)
    held = await states.believed_states(write.connection, write.tenant, filed.entity.id, Branch.COMMITTED)
    return FiledDocument(
        artifact=filed.artifact,
        entity=filed.entity,
        state=_state_of(held, filed.artifact.id),
        created=True,
        references=tuple(joined.references),
        candidates=queued,
        position=position,
        warnings=(*document.warnings, *warnings, *joined.warnings, *arrived.warnings, *named),
    )


def _state_of(held: list[EntityState], artifact: UUID) -> EntityState:
    return next((state for state in reversed(held) if state.source_artifact == artifact), held[-1])


async def _queue_candidates(write: Write, filed: Filed, document: Document) -> int:
    where = (write.connection, write.tenant, filed.project.number)
    queued = 0
    for alias in document.alias_claims:
        about = await _subject(write, filed, alias.subject)
        queued += await candidates.queue_alias(*where, about, filed.artifact.id, alias, write.recorded_at)
    for fact in document.fact_claims:
        queued += await candidates.queue_fact(
            *where, filed.entity.id, filed.artifact.id, fact, write.recorded_at
        )
    return queued


async def _subject(write: Write, filed: Filed, subject: str) -> UUID:
    """Answer the entity that a claim is about: the one it names, or else the document."""
    key = target_key(subject, filed.key)
    found = await entities.entities_by_keys(
        write.connection, write.tenant, filed.project.number, [key, bare_key(key)]
    )
    return found[0].id if len(found) == 1 else filed.entity.id
