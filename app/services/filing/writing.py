"""The transaction that files one document: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

import asyncpg

from app.domain.artifact import Artifact
from app.domain.entity import Entity, Project, Reference
from app.domain.ontology import naming_forms
from app.domain.surface_form import fold, name_key
from app.domain.temporal import Branch, EntityState
from app.domain.waiting import WaitingReference
from app.errors import Conflict
from app.services.filing import naming
from app.services.filing.document_state import state_from_artifact, write_state
from app.services.filing.edges import Filed, Joined
from app.services.filing.joining import join_claims
from app.services.filing.kinds import type_of
from app.services.filing.looking_up import entity_of_key
from app.services.filing.preparation import PreparedDocument
from app.services.filing.queueing import queue_candidates
from app.services.filing.restating import restate
from app.services.filing.supersession import settle_all
from app.services.filing.taking_effect import follow
from app.services.filing.versions import artifact_of, what_is_odd, write_searchable
from app.services.filing.waiting import join_pending
from app.services.write import Write
from app.stores.postgres import (
    artifacts,
    entities,
    states,
    waiting,
)
from app.stores.postgres.ontology import RecordedType


@dataclass(frozen=True, slots=True)
class FiledDocument:
    """What filing a document left in the ledger; `created` is false when nothing changed.

    `waiting` are those of its references that wait for what is not there yet, where one document is filed.
    """

    artifact: Artifact
    entity: Entity
    state: EntityState
    created: bool
    references: tuple[Reference, ...] = ()
    candidates: int = 0
    position: int | None = None
    warnings: tuple[str, ...] = ()
    waiting: tuple[WaitingReference, ...] = ()


async def with_waiting(connection: asyncpg.Connection, tenant: int, filed: FiledDocument) -> FiledDocument:
    """Return a document that was filed with its references that wait, as they stood when it was.

    Read before the write is committed: a failure after that would hide that there is one.
    """
    if not filed.created:
        return filed
    found = await waiting.waiting_of(connection, tenant, filed.entity.id, filed.artifact.recorded_at)
    return replace(filed, waiting=tuple(found))


async def write_document(
    write: Write, project: Project, prepared: PreparedDocument, *, defines_kinds: bool
) -> FiledDocument:
    """File a prepared document, unless its latest version says the same already.

    Its position is told by whoever settles the write.
    """
    recorded_type, warnings = await type_of(write, project, prepared.document, defines_kinds=defines_kinds)
    entity, latest = await _identity(write, project, prepared, recorded_type)
    if latest is not None and latest.content_hash == prepared.content_hash:
        return await unchanged(write.connection, write.tenant, entity, latest)
    artifact = await artifact_of(write, project, prepared, recorded_type, entity, latest)
    warnings = (*warnings, *what_is_odd(prepared.document, artifact))
    if latest is None:
        entity = replace(entity, created_at=artifact.created_at, source_artifact=artifact.id)
        await entities.insert_entity(
            write.connection, write.tenant, entity, recorded_type.number, write.recorded_at, write.actor
        )
    await write_searchable(write, prepared, recorded_type, artifact)
    filed = Filed(project, entity, artifact, prepared.key)
    before, state = await write_state(write, filed, prepared.document, recorded_type, is_new=latest is None)
    _note(write, filed, state, is_new=latest is None)
    return await _write_meaning(write, filed, prepared, warnings, before, state)


def _note(write: Write, filed: Filed, state: EntityState, *, is_new: bool) -> None:
    source = filed.artifact.source_uri
    if is_new:
        names = map(name_key, naming_forms(state.props).values())
        write.foreseen.note_entity(filed.entity, source, names)
    else:
        write.foreseen.note_version(filed.entity, source)


async def unchanged(
    connection: asyncpg.Connection, tenant: int, entity: Entity, latest: Artifact
) -> FiledDocument:
    """Answer what is there already."""
    held = await states.believed_states(connection, tenant, entity.id, Branch.COMMITTED)
    return FiledDocument(latest, entity, state_from_artifact(held, latest.id), created=False)


async def _identity(
    write: Write, project: Project, prepared: PreparedDocument, recorded_type: RecordedType
) -> tuple[Entity, Artifact | None]:
    """Answer the entity a document is a version of, and its latest version; a new one is not written."""
    name = recorded_type.definition.name
    held = await entity_of_key(write, prepared.key)
    if held is None:
        return Entity(uuid4(), name, project.number, prepared.key, write.recorded_at, None), None
    if fold(held.type_name) != fold(name):
        raise Conflict(
            f"{prepared.document.identifier or prepared.key} is filed as {held.type_name} in this project"
            " already;"
            f" file it as {held.type_name} or give it another identifier",
            field="kind",
        )
    return held, await artifacts.latest_version(write.connection, write.tenant, held.id)


async def _write_meaning(
    write: Write,
    filed: Filed,
    prepared: PreparedDocument,
    warnings: tuple[str, ...],
    before: Sequence[EntityState],
    state: EntityState,
) -> FiledDocument:
    is_new, document = not before, prepared.document
    joined = await join_claims(write, filed, prepared.ways, before)
    arrived = await join_pending(write, filed)
    forms = naming.listed_aliases(document.props)
    named = await naming.write_aliases(write, filed, forms, arrived, is_new=is_new)
    await naming.note_mentions(write, filed, prepared.sought)
    queued = await queue_candidates(write, filed, document)
    if await _move_states(write, filed, joined, arrived, before):
        held = await states.believed_states(write.connection, write.tenant, filed.entity.id, Branch.COMMITTED)
        state = state_from_artifact(held, filed.artifact.id)
    return FiledDocument(
        artifact=filed.artifact,
        entity=filed.entity,
        state=state,
        created=True,
        references=tuple(joined.references),
        candidates=queued,
        warnings=(*document.warnings, *warnings, *joined.warnings, *arrived.warnings, *named),
    )


async def _move_states(
    write: Write, filed: Filed, joined: Joined, arrived: Joined, before: Sequence[EntityState]
) -> bool:
    """Let states follow from what this document states and is now; tell whether its own may have changed."""
    restated = [await restate(write, each) for each in (*joined.restated, *arrived.restated)]
    turns = [turn for turn in (*joined.turns, *arrived.turns, *restated) if turn is not None]
    await settle_all(write, turns)
    if before:
        await follow(write, filed.entity.id, before)
    return bool(before or turns)
