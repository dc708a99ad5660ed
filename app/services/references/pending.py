"""References that wait for their target, and what joins them when it arrives."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from uuid import UUID, uuid4

from app.domain.entity import Entity, Project, ReferenceType
from app.domain.identifier import bare_key, folder_namespace, identifier_key, may_mean, namespace
from app.services.cached_lookups import find_pending
from app.services.cooperation import let_others_work
from app.services.lookup_cache import Edge
from app.services.parsing.target_readings import path_key
from app.services.references.edges import (
    Believed,
    EdgeStatement,
    Filed,
    Joined,
    believed_among,
    mention_of,
    write_edge,
)
from app.services.references.target_resolution import Target
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import mentions, references
from app.stores.postgres.pending_references import references_resting_on
from app.stores.postgres.references import PendingReferenceRow


async def add_pending(write: UnitOfWork, filed: Filed, target: Target, joined: Joined) -> None:
    """Keep a claim whose target is not there, or is one of several."""
    if target.choices:
        choices = ", ".join(target.choices)
        joined.warnings.append(f"{target.claim.target} could mean {choices}; kept as pending")
    pending = PendingReferenceRow(
        id=uuid4(),
        source=filed.entity.id,
        source_key=filed.key,
        source_uri=filed.artifact.source_uri,
        target_key=target.key,
        target_text=target.claim.target,
        type=target.claim.type,
        inverted=target.claim.inverted,
        occurrences=target.claim.count,
        is_ambiguous=bool(target.choices),
        source_artifact=filed.artifact.id,
        valid_from=filed.artifact.created_at,
    )
    await references.insert_pending(
        write.connection,
        write.tenant,
        filed.project.number,
        pending,
        write.recorded_at,
        write.actor,
    )
    write.foreseen.note_waiting(pending, write.recorded_at)


def waited_for_as(key: str, title: str, source_uri: str | None) -> set[str]:
    """Return the keys under which references may wait for a document."""
    names, file = _called(title, source_uri)
    return {key, bare_key(key), *names, *_endings(file)}


def _called(title: str, source_uri: str | None) -> tuple[set[str], str]:
    """Return the keys of what a document is called, and of its file without the ending, "" without one."""
    names = {identifier_key(title)}
    if not source_uri:
        return names, ""
    return names | {path_key(source_uri)}, identifier_key(posixpath.splitext(source_uri)[0])


async def resolve_pending(write: UnitOfWork, filed: Filed) -> Joined:
    """Join the references of other documents that waited for this one."""
    names, file = _called(filed.artifact.title, filed.artifact.source_uri)
    keys = sorted(waited_for_as(filed.key, filed.artifact.title, filed.artifact.source_uri))
    found = await find_pending(write, filed.project, keys, filed.entity.id)
    waiting = [
        pending
        for pending in found
        if pending.target_key in names or _is_file(pending, file) or _may_mean(pending, filed.key)
    ]
    joined = Joined()
    held = await believed_among(write, [_edge(each, filed.entity, each.type) for each in waiting])
    for place, pending in enumerate(waiting):
        await let_others_work(place)
        cause = filed.artifact.id if pending.inverted else pending.source_artifact
        await _join_waiting(write, filed.project, filed.entity, pending, pending.type, cause, held, joined)
    await _wait_no_longer(write, filed.entity, waiting)
    return joined


async def join_pending_by_name(
    write: UnitOfWork, project: Project, entity: Entity, forms: Sequence[str], joined: Joined
) -> None:
    """Join the references of documents that waited for what an entity is called from now on.

    Those that no rule allows between a document and a thing are kept as REFERENCES; those that could mean
    several documents wait on.
    """
    keys = sorted({identifier_key(form) for form in forms})
    found = await find_pending(write, project, keys, entity.id)
    waiting = [pending for pending in found if not pending.is_ambiguous]
    allowed = await _allowed(write, waiting, entity)
    held = await believed_among(write, [_edge(each, entity, allowed[each.id]) for each in waiting])
    for place, pending in enumerate(waiting):
        await let_others_work(place)
        cause = entity.source_artifact if pending.inverted else pending.source_artifact
        await _join_waiting(write, project, entity, pending, allowed[pending.id], cause, held, joined)
    await _wait_no_longer(write, entity, waiting)


async def _allowed(
    write: UnitOfWork, waiting: Sequence[PendingReferenceRow], entity: Entity
) -> dict[UUID, ReferenceType]:
    """Return the type that each reference has once it is joined, by its id."""
    edges = {each.id: _edge(each, entity, each.type) for each in waiting}
    allowed = await references.edges_allowed(write.connection, write.tenant, list(edges.values()))
    return {id: edge[2] if edge in allowed else ReferenceType.REFERENCES for id, edge in edges.items()}


def _edge(pending: PendingReferenceRow, arrived: Entity, kind: ReferenceType) -> Edge:
    ends = (arrived.id, pending.source) if pending.inverted else (pending.source, arrived.id)
    return (*ends, kind)


async def _wait_no_longer(write: UnitOfWork, arrived: Entity, waiting: Sequence[PendingReferenceRow]) -> None:
    ids = [pending.id for pending in waiting]
    await references.close_pending(write.connection, write.tenant, ids, write.recorded_at)
    if write.foresight is not None and ids:
        write.foresight.note_joined(ids)
    noted = [
        mention_of(pending.source_artifact, arrived.id, pending.target_text, pending.occurrences)
        for pending in waiting
    ]
    await mentions.insert_mentions(write.connection, write.tenant, noted, write.recorded_at)


def _endings(file: str) -> list[str]:
    """Return what a path may be called from the folders it lies in: x, b/x and a/b/x for a/b/x."""
    parts = file.split("/") if file else []
    return ["/".join(parts[place:]) for place in range(len(parts))]


def _is_file(pending: PendingReferenceRow, file: str) -> bool:
    """Return whether a file, without its ending, is what a reference names from its folder or the root."""
    return file in (pending.target_key, folder_namespace(pending.source_uri) + pending.target_key)


def _may_mean(pending: PendingReferenceRow, key: str) -> bool:
    """Return whether an arrival can be what a reference waits for; of several, only one that lies near."""
    folder = folder_namespace(pending.source_uri)
    near = namespace(key) in ("", namespace(pending.source_key), folder)
    return may_mean(pending.target_key, pending.source_key, key, folder) and (
        near or not pending.is_ambiguous
    )


async def _join_waiting(
    write: UnitOfWork,
    project: Project,
    arrived: Entity,
    pending: PendingReferenceRow,
    kind: ReferenceType,
    cause: UUID | None,
    held: Believed,
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
    """Let what documents called so, and is not, wait for whatever is: the entity never went by these forms.

    A reference of which nothing is believed any more is as if it had never been, save under a `knownAt`
    before.
    """
    resting = await references_resting_on(write.connection, write.tenant, entity.id, forms)
    for reference, waiting in resting.items():
        await references.retract_reference(write.connection, write.tenant, reference, write.recorded_at)
        await references.insert_pending(
            write.connection, write.tenant, entity.project, waiting, write.recorded_at, write.actor
        )
