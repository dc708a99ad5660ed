"""One version of a document: its artifact, and everything recall searches it by."""

from __future__ import annotations

from datetime import datetime
from uuid import uuid4

from app.domain.artifact import Artifact, Document
from app.domain.entity import Entity, Project
from app.domain.standing import is_known
from app.services.filing.preparation import PreparedDocument
from app.services.write import Write
from app.stores.postgres import artifacts, embeddings, postings
from app.stores.postgres.ontology import RecordedType


async def artifact_of(
    write: Write,
    project: Project,
    prepared: PreparedDocument,
    recorded_type: RecordedType,
    entity: Entity,
    latest: Artifact | None,
) -> Artifact:
    """Answer the artifact that a document becomes."""
    document = prepared.document
    return Artifact(
        id=uuid4(),
        number=write.foreseen.numbers.pop(),
        project=project.number,
        kind=recorded_type.definition.name,
        identifier=document.identifier,
        title=document.title,
        body=document.body,
        domain=document.domain,
        created_at=await _version_date(write, document, latest),
        recorded_at=write.recorded_at,
        source_uri=document.source_uri,
        source_commit=document.source_commit,
        author=document.author,
        content_hash=prepared.content_hash,
        entity=entity.id,
    )


async def _version_date(write: Write, document: Document, latest: Artifact | None) -> datetime:
    """Answer when a version takes effect: by its date, or now when that is not after every other one's."""
    dated = document.created_at or write.recorded_at
    if latest is None:
        return dated
    last = await artifacts.latest_version_date(write.connection, write.tenant, latest.entity)
    return dated if last is None or dated > last else write.recorded_at


def what_is_odd(document: Document, artifact: Artifact) -> tuple[str, ...]:
    """Answer warnings about a version whose date or status was not taken as somebody may think."""
    warnings = []
    if document.created_at is not None and artifact.created_at != document.created_at:
        warnings.append(
            f"counts from now: its date {document.created_at.date()} is not after the version before it"
        )
    if document.status and not is_known(document.status):
        warnings.append(f"counts as current: nothing is known of the status {document.status}")
    return tuple(warnings)


async def write_searchable(
    write: Write, prepared: PreparedDocument, recorded_type: RecordedType, artifact: Artifact
) -> None:
    """Write an artifact with its passages, vectors and postings."""
    length, number = prepared.length, artifact.number
    await artifacts.insert_artifact(
        write.connection, write.tenant, artifact, recorded_type.number, length, write.actor
    )
    await artifacts.insert_passages(write.connection, write.tenant, number, prepared.passages)
    times = (artifact.created_at, artifact.recorded_at)
    await embeddings.insert_embeddings(
        write.connection, write.tenant, artifact.project, number, *times, prepared.vectors
    )
    await postings.insert_postings(
        write.connection,
        write.tenant,
        artifact.project,
        number,
        prepared.terms,
        length,
    )
    await postings.count_document(write.connection, write.tenant, artifact.project, length, *times)
