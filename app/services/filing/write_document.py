"""Write one prepared document in an open transaction: artifact, state, references, names and candidates."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID, uuid4

import asyncpg

from app.domain.artifact import Artifact, DatePrecision, DateSource, Document
from app.domain.entity import Absence, AbsenceSource, Entity, PendingReference, Project, Reference
from app.domain.identifier import bare_key
from app.domain.numbers import TenantNumber
from app.domain.status_words import NO_TEAM_WORDS, is_known, unknown_status_warnings
from app.domain.temporal import Branch, EntityState, Interval
from app.domain.text import fold, name_key
from app.domain.types import naming_forms
from app.errors import Conflict
from app.services.cached_lookups import (
    entities_of_aliases,
    entities_of_keys,
    entities_of_names,
    entity_of_key,
    next_number,
)
from app.services.filing import document_names
from app.services.filing.document_state import state_from_artifact, write_state
from app.services.filing.document_types import type_of
from app.services.filing.prepare import PreparedDocument, content_hash
from app.services.filing.references import confirm_supersession, join_claims
from app.services.parsing.target_readings import target_key
from app.services.references.arrivals import join_arrived
from app.services.references.beginnings import as_moved, move_beginnings
from app.services.references.edges import Filed, Joined
from app.services.references.pending import resolve_pending
from app.services.references.supersession import propagate_supersession, recompute_statuses
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import (
    absences,
    artifacts,
    candidates,
    entities,
    lookups,
    passage_vectors,
    pending_references,
    states,
)
from app.stores.postgres.lexical import postings
from app.stores.postgres.status_words import words_of_projects
from app.stores.postgres.supersessions import successions_around
from app.stores.postgres.type_definitions import RecordedType


async def artifact_of(
    write: UnitOfWork,
    project: Project,
    prepared: PreparedDocument,
    recorded_type: RecordedType,
    entity: Entity,
    latest: Artifact | None,
) -> Artifact:
    """Return the artifact of a document."""
    document = prepared.document
    created_at = await _version_date(write, document, latest)
    dated_by, precision, date = _date_of(document, latest)
    return Artifact(
        id=uuid4(),
        number=await next_number(write),
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
        meta=document.meta,
        date_source=dated_by,
        date_precision=precision,
        stated_at=None if created_at == date else date,
    )


def _date_of(
    document: Document, latest: Artifact | None
) -> tuple[DateSource, DatePrecision | None, datetime | None]:
    """Return where the date of a document is from, how exact it is, and the date itself.

    A version without a date keeps the one that the version before states.
    """
    if document.created_at is not None:
        return document.date_source or DateSource.HEADER, document.date_precision, document.created_at
    if latest is not None and latest.date_source in (DateSource.HEADER, DateSource.FILE_NAME):
        return latest.date_source, latest.date_precision, latest.date
    return DateSource.FILED, document.date_precision, None


async def _version_date(write: UnitOfWork, document: Document, latest: Artifact | None) -> datetime:
    """Return when a version takes effect: at its date, or now if another version is not before that."""
    dated = document.created_at or write.recorded_at
    if latest is None:
        return dated
    if document.is_edition:
        return dated
    last = await artifacts.latest_version_date(await write.flush(), write.tenant, latest.entity)
    return dated if last is None or dated > last else write.recorded_at


async def oddity_warnings(
    write: UnitOfWork, project: Project, document: Document, artifact: Artifact
) -> tuple[str, ...]:
    """Return warnings about a version whose date or status is not used as its author may expect."""
    warnings: list[str] = []
    if artifact.created_at > write.recorded_at:
        warnings.append(f"it begins on {artifact.created_at.date()} and is not shown before")
    if document.status and not is_known(document.status):
        words = await words_of_projects(await write.flush(), write.tenant, [project.number])
        warnings += unknown_status_warnings(document.status, words.get(project.number, NO_TEAM_WORDS))
    return tuple(warnings)


def late_date_warnings(document: Document, artifact: Artifact, was: Entity, now: Entity) -> tuple[str, ...]:
    """Return a warning about a version that does not take effect at its date, nor lets its document."""
    date = document.created_at
    if date is None or date == artifact.created_at or now.created_at == date != was.created_at:
        return ()
    return (f"valid from now: its date {date.date()} is not after the date of the former version",)


async def write_searchable(
    write: UnitOfWork, prepared: PreparedDocument, recorded_type: RecordedType, artifact: Artifact
) -> None:
    """Write an artifact with its passages, vectors and postings."""
    length, number = prepared.length, artifact.number
    await artifacts.insert_artifact(
        write.rows, write.tenant, artifact, recorded_type.number, length, write.actor
    )
    await artifacts.insert_passages(write.rows, write.tenant, number, prepared.passages)
    times = (artifact.created_at, artifact.recorded_at)
    await passage_vectors.insert_embeddings(
        write.rows, write.tenant, artifact.project, number, *times, prepared.vectors
    )
    await postings.insert_postings(
        write.rows,
        write.tenant,
        artifact.project,
        number,
        prepared.terms,
        length,
    )
    await postings.count_document(write.rows, write.tenant, artifact.project, length, *times)


def subjects_of(document: Document) -> set[str]:
    """Return the subjects that the likely aliases and facts of a document name."""
    claimed = {fact.subject for fact in document.fact_claims if fact.subject is not None}
    return claimed | {alias.subject for alias in document.alias_claims}


def subject_keys(subject: str, own_key: str) -> list[str]:
    """Return the keys that a subject may have, as named in the document with `own_key`."""
    key = target_key(subject, own_key)
    return [key, bare_key(key)]


async def queue_candidates(write: UnitOfWork, filed: Filed, document: Document) -> int:
    """Queue the likely aliases and facts of a document; return how many are new."""
    if not document.alias_claims and not document.fact_claims:
        return 0
    where = (await write.flush(), write.tenant, filed.project.number)
    queued, properties = 0, dict[UUID, Collection[str]]()
    for alias in document.alias_claims:
        # A name is one of the thing that the text names, and never one of the text.
        if (about := await _subject(write, filed, alias.subject)) is None:
            continue
        queued += await candidates.queue_alias(*where, about, filed.artifact.id, alias, write.recorded_at)
    for fact in document.fact_claims:
        named = None if fact.subject is None else await _subject(write, filed, fact.subject)
        about = named or filed.entity.id
        if about not in properties:
            properties[about] = await _properties(write, about)
        if fact.property in properties[about]:
            queued += await candidates.queue_fact(*where, about, filed.artifact.id, fact, write.recorded_at)
    return queued


async def _properties(write: UnitOfWork, entity: UUID) -> Collection[str]:
    """Return the mutable properties of an entity: a fact about another could not be promoted."""
    found = await lookups.types_of_entities(await write.flush(), write.tenant, [entity])
    return found[entity].mutable_props


async def _subject(write: UnitOfWork, filed: Filed, subject: str) -> UUID | None:
    """Return the one entity that a claim names by identifier, name or alias; None if there is none."""
    name = name_key(subject)
    found = await entities_of_keys(write, filed.project, subject_keys(subject, filed.key))
    named = found or (await entities_of_names(write, filed.project, [name])).get(name, [])
    named = named or (await entities_of_aliases(write, filed.project, [name])).get(name, [])
    return named[0].id if len(named) == 1 else None


@dataclass(frozen=True, slots=True)
class FiledDocument:
    """The result of filing a document; `created` is false if nothing changed.

    `pending` are its pending references, which are only read if one document is filed. It `is_back` if a
    caller had withdrawn it.
    """

    artifact: Artifact
    entity: Entity
    state: EntityState
    created: bool
    references: tuple[Reference, ...] = ()
    candidates: int = 0
    position: int | None = None
    warnings: tuple[str, ...] = ()
    pending: tuple[PendingReference, ...] = ()
    is_back: bool = False


async def with_pending(
    connection: asyncpg.Connection, tenant: TenantNumber, filed: FiledDocument
) -> FiledDocument:
    """Return a filed document with the references that were pending when it was filed.

    They are read before the commit: a failure after it would hide that the document is there.
    """
    if not filed.created:
        return filed
    found = await pending_references.pending_of(
        connection, tenant, filed.entity.id, filed.artifact.recorded_at
    )
    return replace(filed, pending=tuple(found))


async def write_document(
    write: UnitOfWork, project: Project, prepared: PreparedDocument, *, defines_kinds: bool
) -> FiledDocument:
    """File a prepared document, unless its latest version is the same.

    The caller that ends the write adds the position.
    """
    recorded_type, warnings = await type_of(write, project, prepared.document, defines_kinds=defines_kinds)
    entity, latest, renamed = await _identity(write, project, prepared, recorded_type)
    if latest is not None and entity.key != prepared.key:
        prepared = await _under_present_identifier(write, prepared, entity, latest)
    absent = [] if latest is None else await _absences(write, latest)
    is_there = not any(each.valid.covers(write.recorded_at) for each in absent)
    if latest is not None and latest.content_hash == prepared.content_hash and is_there:
        return await load_unchanged(await write.flush(), write.tenant, entity, latest)
    artifact = await artifact_of(write, project, prepared, recorded_type, entity, latest)
    warnings = (*warnings, *renamed, *await oddity_warnings(write, project, prepared.document, artifact))
    if latest is None:
        entity = replace(entity, created_at=artifact.created_at, source_artifact=artifact.id)
        await entities.insert_entity(
            write.rows, write.tenant, entity, recorded_type.number, write.recorded_at, write.actor
        )
    await write_searchable(write, prepared, recorded_type, artifact)
    ended = await _bring_back(write, project, absent, artifact, is_edition=prepared.document.is_edition)
    is_back = bool(ended)
    since = artifact.created_at if is_back else entity.created_at
    filed = Filed(project, replace(entity, created_at=since), artifact, prepared.key)
    before, state = await write_state(write, filed, prepared.document, recorded_type, is_new=latest is None)
    _note(write, filed, state, is_new=latest is None)
    result = await _write_meaning(write, filed, prepared, warnings, before, state, is_back=is_back)
    late = late_date_warnings(prepared.document, artifact, entity, result.entity)
    withdrawn = any(each.source is AbsenceSource.CALLER for each in ended)
    return replace(result, warnings=(*result.warnings, *late), is_back=withdrawn)


async def _absences(write: UnitOfWork, latest: Artifact) -> list[Absence]:
    """Return the absences of a document, and of the version that was filed last."""
    held = await absences.absences_of(await write.flush(), write.tenant, [latest.entity])
    return [each for each in held.get(latest.entity, ()) if each.artifact in (None, latest.id)]


async def _bring_back(
    write: UnitOfWork, project: Project, absent: Sequence[Absence], artifact: Artifact, *, is_edition: bool
) -> list[Absence]:
    """End the absence of a document that is filed again; return those that ended.

    It ends at the date of the version, or now if that lies before the absence. An edition of a history that
    lies before changes nothing.
    """
    absences_ended = []
    for each in absent:
        moment = artifact.created_at
        if moment < each.valid.start and not is_edition:
            moment = write.recorded_at
        if each.artifact is not None or not each.valid.covers(moment):
            continue
        await absences.retract_absence(await write.flush(), write.tenant, each.id, write.recorded_at)
        if each.valid.start < moment:
            ended = replace(
                each, id=uuid4(), valid=Interval(each.valid.start, moment), recorded_at=write.recorded_at
            )
            await absences.insert_absence(await write.flush(), write.tenant, project.number, ended)
        absences_ended.append(each)
    return absences_ended


def _note(write: UnitOfWork, filed: Filed, state: EntityState, *, is_new: bool) -> None:
    source = filed.artifact.source_uri
    if is_new:
        names = map(name_key, naming_forms(state.props).values())
        write.cached.note_entity(filed.entity, source, names)
    else:
        write.cached.note_version(filed.entity, source)


async def load_unchanged(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: Entity, latest: Artifact
) -> FiledDocument:
    """Return the result for a document that is there already."""
    held = await states.current_states(connection, tenant, entity.id, Branch.COMMITTED)
    return FiledDocument(latest, entity, state_from_artifact(held, latest.id), created=False)


async def _identity(
    write: UnitOfWork, project: Project, prepared: PreparedDocument, recorded_type: RecordedType
) -> tuple[Entity, Artifact | None, tuple[str, ...]]:
    """Return the entity of a document, its latest version, and a warning if it was or is called otherwise.

    A new entity is not written yet. Under the former identifier of a document that was renamed, the same
    text or the same source is still that document; anything else is another one, which takes the identifier.
    """
    name = recorded_type.definition.name
    held = await entity_of_key(write, prepared.key)
    new = Entity(uuid4(), name, project.number, prepared.key, write.recorded_at, None)
    if held is None:
        return new, None, ()
    if held.key != prepared.key:
        latest = await artifacts.latest_version(await write.flush(), write.tenant, held.id)
        asked = prepared.document.identifier or prepared.key
        if latest is not None and _is_same(prepared, latest):
            return held, latest, (f"filed as {held.key}: {asked} was renamed",)
        return new, None, (f"{asked} was the identifier of {held.key} before; this is another document",)
    if fold(held.type_name) != fold(name):
        raise Conflict(
            f"{prepared.document.identifier or prepared.key} has the type {held.type_name} in this"
            f" project already; file it as {held.type_name} or give it another identifier",
            field="kind",
            current=held.id,
        )
    return held, await artifacts.latest_version(await write.flush(), write.tenant, held.id), ()


def _is_same(prepared: PreparedDocument, latest: Artifact) -> bool:
    """Return whether a document under a former identifier is the one that had it, by its text or source."""
    source = prepared.document.source_uri
    return latest.content_hash == prepared.content_hash or (
        source is not None and source == latest.source_uri
    )


async def _under_present_identifier(
    write: UnitOfWork, prepared: PreparedDocument, entity: Entity, latest: Artifact
) -> PreparedDocument:
    """Return a document with the identifier that its entity has now; an unchanged one stays as it is."""
    assert entity.key is not None
    if latest.content_hash == prepared.content_hash:
        return prepared
    held = await states.current_states(await write.flush(), write.tenant, entity.id, Branch.COMMITTED)
    identifier = held[-1].props.get("identifier")
    document = replace(
        prepared.document,
        identifier=identifier if isinstance(identifier, str) else entity.key,
        stated_identifier=None,
    )
    return replace(prepared, document=document, key=entity.key, content_hash=content_hash(document))


async def _write_meaning(
    write: UnitOfWork,
    filed: Filed,
    prepared: PreparedDocument,
    warnings: tuple[str, ...],
    before: Sequence[EntityState],
    state: EntityState,
    *,
    is_back: bool,
) -> FiledDocument:
    is_new, document = not before or is_back, prepared.document
    joined = await join_claims(write, filed, prepared.ways, before)
    forms = document_names.listed_aliases(document.props)
    arrived = Joined()
    names = await document_names.record_names(write, filed, document, before)
    named = await document_names.write_aliases(write, filed, forms, arrived, is_new=is_new)
    compared = await join_arrived(write, filed, names, arrived)
    await resolve_pending(write, filed, compared, arrived)
    await document_names.note_mentions(write, filed, prepared.sought)
    queued = await queue_candidates(write, filed, document)
    if await _move_states(write, filed, joined, arrived, before):
        held = await states.current_states(
            await write.flush(), write.tenant, filed.entity.id, Branch.COMMITTED
        )
        filed = await _as_it_begins(write, filed)
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


async def _as_it_begins(write: UnitOfWork, filed: Filed) -> Filed:
    """Return a document that was filed as it is there now: it may begin at another moment."""
    where, entity = (await write.flush(), write.tenant), filed.entity.id
    latest = await artifacts.latest_version(*where, entity)
    filed = replace(filed, entity=(await entities.entities_by_id(*where, [entity]))[entity])
    is_same = latest is not None and latest.content_hash == filed.artifact.content_hash
    return replace(filed, artifact=latest) if latest is not None and is_same else filed


async def _move_states(
    write: UnitOfWork, filed: Filed, joined: Joined, arrived: Joined, before: Sequence[EntityState]
) -> bool:
    """Recompute the statuses that this document changes; return whether its own may have changed."""
    restated = [await confirm_supersession(write, each) for each in (*joined.restated, *arrived.restated)]
    changes = [change for change in (*joined.changes, *arrived.changes, *restated) if change is not None]
    await recompute_statuses(write, changes)
    touched = {change.entity for change in changes}
    if filed.artifact.stated_at is not None:
        touched.add(filed.entity.id)
    if before:
        await propagate_supersession(write, filed.entity.id, before)
        around = await successions_around(await write.flush(), write.tenant, filed.entity.id)
        touched |= {each.predecessor for each in around}
    moved = await move_beginnings(write, touched)
    joined.references = [as_moved(each, moved) for each in joined.references]
    return bool(before or changes)
