"""Pending references: keep those whose target is missing, and resolve them when it arrives."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Sequence
from uuid import UUID, uuid4

from app.domain.entity import Edge, Entity, Project, ReferenceType
from app.domain.identifier import bare_key, folder_namespace, identifier_key, may_mean, namespace
from app.services.cached_lookups import find_pending
from app.services.parsing.target_readings import path_key
from app.services.references.edges import (
    CurrentEdges,
    EdgeStatement,
    Filed,
    Joined,
    current_edges,
    mention_of,
    write_edge,
)
from app.services.references.target_resolution import Target
from app.services.unit_of_work import UnitOfWork
from app.stores.event_loop import let_others_work
from app.stores.postgres import mentions, references
from app.stores.postgres.document_names import StatedClaim
from app.stores.postgres.pending_references import pending_by_name
from app.stores.postgres.references import PendingReferenceRow


async def add_pending(write: UnitOfWork, filed: Filed, target: Target, joined: Joined) -> None:
    """Keep a claim as pending: its target is missing or ambiguous."""
    if target.choices:
        joined.warnings.append(f"{target.unclear()}; the reference is unresolved")
    stated = StatedClaim(
        claim=target.claim,
        source=filed.entity.id,
        source_key=filed.key,
        source_uri=filed.artifact.source_uri,
        source_artifact=filed.artifact.id,
        valid_from=target.claim.since or filed.artifact.created_at,
    )
    await record_pending(write, filed.project, stated, target)


async def record_pending(write: UnitOfWork, project: Project, stated: StatedClaim, target: Target) -> None:
    """Write a claim as a pending reference, ambiguous if its target could be several documents."""
    pending = PendingReferenceRow(
        id=uuid4(),
        source=stated.source,
        source_key=stated.source_key,
        source_uri=stated.source_uri,
        target_key=target.key,
        target_text=stated.claim.target,
        type=stated.claim.type,
        inverted=stated.claim.inverted,
        occurrences=stated.claim.count,
        is_ambiguous=bool(target.choices),
        source_artifact=stated.source_artifact,
        valid_from=stated.valid_from,
        in_part=stated.claim.in_part,
    )
    await references.insert_pending(
        write.rows,
        write.tenant,
        project.number,
        pending,
        write.recorded_at,
        write.actor,
    )
    write.cached.note_pending(pending, write.recorded_at)


def pending_keys(key: str, title: str, source_uri: str | None) -> set[str]:
    """Return the keys under which pending references may name a document."""
    names, file = _names_of(title, source_uri)
    return {key, bare_key(key), *names, *_endings(file)}


def _names_of(title: str, source_uri: str | None) -> tuple[set[str], str]:
    """Return the keys of a document's names, and that of its file without the ending ("" without a file)."""
    names = {identifier_key(title)}
    if not source_uri:
        return names, ""
    return names | {path_key(source_uri)}, identifier_key(posixpath.splitext(source_uri)[0])


async def resolve_pending(
    write: UnitOfWork,
    filed: Filed,
    compared: Collection[tuple[UUID, tuple[ReferenceType, bool, bool, str]]],
    joined: Joined,
) -> None:
    """Write the pending references of other documents that mean this one, except the `compared` claims."""
    names, file = _names_of(filed.artifact.title, filed.artifact.source_uri)
    keys = sorted(pending_keys(filed.key, filed.artifact.title, filed.artifact.source_uri))
    found = await find_pending(write, filed.project, keys, filed.entity.id)
    rows = [
        pending
        for pending in found
        if (pending.source, (*pending.relation[1:], pending.target_text)) not in compared
        and (pending.target_key in names or _is_file(pending, file) or _may_mean(pending, filed.key))
    ]
    held = await current_edges(write, [_edge(each, filed.entity, each.type) for each in rows])
    for place, pending in enumerate(rows):
        await let_others_work(place)
        cause = filed.artifact.id if pending.inverted else pending.source_artifact
        await _resolve(write, filed.project, filed.entity, pending, pending.type, cause, held, joined)
    await _close(write, filed.entity, rows)


async def join_pending_by_name(
    write: UnitOfWork, project: Project, entity: Entity, forms: Sequence[str], joined: Joined
) -> None:
    """Write the pending references that mean an entity by one of its new names.

    A reference that no rule allows between a document and a thing becomes a REFERENCES; one that could mean
    several documents stays pending.
    """
    keys = sorted({identifier_key(form) for form in forms})
    found = await find_pending(write, project, keys, entity.id)
    rows = [pending for pending in found if not pending.is_ambiguous]
    allowed = await _types_by_id(write, rows, entity)
    held = await current_edges(write, [_edge(each, entity, allowed[each.id]) for each in rows])
    for place, pending in enumerate(rows):
        await let_others_work(place)
        cause = entity.source_artifact if pending.inverted else pending.source_artifact
        await _resolve(write, project, entity, pending, allowed[pending.id], cause, held, joined)
    await _close(write, entity, rows)


async def _types_by_id(
    write: UnitOfWork, rows: Sequence[PendingReferenceRow], entity: Entity
) -> dict[UUID, ReferenceType]:
    """Return the type of each reference once it is written, by the id of the pending one."""
    if not rows:
        return {}
    edges = {each.id: _edge(each, entity, each.type) for each in rows}
    allowed = await references.edges_allowed(await write.flush(), write.tenant, list(edges.values()))
    return {id: edge[2] if edge in allowed else ReferenceType.REFERENCES for id, edge in edges.items()}


def _edge(pending: PendingReferenceRow, arrived: Entity, kind: ReferenceType) -> Edge:
    ends = (arrived.id, pending.source) if pending.inverted else (pending.source, arrived.id)
    return (*ends, kind, pending.in_part and kind is pending.type)


async def _close(write: UnitOfWork, arrived: Entity, rows: Sequence[PendingReferenceRow]) -> None:
    ids = [pending.id for pending in rows]
    await references.close_pending(write.rows, write.tenant, ids, write.recorded_at)
    if write.lookup_cache is not None and ids:
        write.lookup_cache.note_resolved(ids)
    noted = [
        mention_of(pending.source_artifact, arrived.id, pending.target_text, pending.occurrences)
        for pending in rows
    ]
    await mentions.insert_mentions(write.rows, write.tenant, noted, write.recorded_at)


def _endings(file: str) -> list[str]:
    """Return the names of a path as seen from its folders: x, b/x and a/b/x for a/b/x."""
    parts = file.split("/") if file else []
    return ["/".join(parts[place:]) for place in range(len(parts))]


def _is_file(pending: PendingReferenceRow, file: str) -> bool:
    """Return whether a reference names this file, without its ending, from its own folder or the root."""
    return file in (pending.target_key, folder_namespace(pending.source_uri) + pending.target_key)


def _may_mean(pending: PendingReferenceRow, key: str) -> bool:
    """Return whether a new document can be what a pending reference means; if ambiguous, a near one only."""
    folder = folder_namespace(pending.source_uri)
    near = namespace(key) in ("", namespace(pending.source_key), folder)
    return may_mean(pending.target_key, pending.source_key, key, folder) and (
        near or not pending.is_ambiguous
    )


async def _resolve(
    write: UnitOfWork,
    project: Project,
    arrived: Entity,
    pending: PendingReferenceRow,
    kind: ReferenceType,
    cause: UUID | None,
    held: CurrentEdges,
    joined: Joined,
) -> None:
    statement = EdgeStatement(
        edge=_edge(pending, arrived, kind),
        stated_by=pending.source_artifact,
        cause=cause,
        valid_from=max(pending.valid_from, arrived.created_at),
        occurrences=pending.occurrences,
        inverted=pending.inverted,
    )
    await write_edge(write, project, statement, joined, held)


async def unlink_by_name(write: UnitOfWork, entity: Entity, forms: Sequence[str]) -> None:
    """Make references pending again that found an entity by forms that turn out never to have been its names.

    The retracted references stay visible only under an earlier `knownAt`.
    """
    rows = await pending_by_name(await write.flush(), write.tenant, entity.id, forms)
    for reference, row in rows.items():
        await references.retract_reference(await write.flush(), write.tenant, reference, write.recorded_at)
        await references.insert_pending(
            write.rows, write.tenant, entity.project, row, write.recorded_at, write.actor
        )
