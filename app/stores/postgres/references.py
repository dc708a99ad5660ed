"""Typed references between entities, and pending references."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID, uuid4

import asyncpg

from app.domain.entity import Edge, Reference, ReferenceType
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.temporal import Interval
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.write_buffer import RowTarget, Table, insert_row, one_by_one

SQL = sql_blocks(__file__)

_INSERT_PENDING = one_by_one(Table.PENDING, SQL["insert_pending"])
_CLOSE_PENDING = one_by_one(Table.PENDING_CLOSED, SQL["close_pending"])
_INSERT_REFERENCE = one_by_one(Table.REFERENCE, SQL["insert_reference"])


@dataclass(frozen=True, slots=True)
class PendingReferenceRow:
    """A reference as its document states it, whose target is unknown or ambiguous."""

    id: UUID
    source: UUID
    source_key: str
    source_uri: str | None
    target_key: str
    target_text: str
    type: ReferenceType
    inverted: bool
    occurrences: int
    is_ambiguous: bool
    source_artifact: UUID
    valid_from: datetime
    in_part: bool

    @property
    def relation(self) -> tuple[UUID, ReferenceType, bool, bool]:
        """What distinguishes it among those that are pending for the same target."""
        return self.source, self.type, self.inverted, self.in_part


@dataclass(frozen=True, slots=True)
class RecordedReference:
    """A reference with the number of its project and its number of mentions; an ended one is not current."""

    reference: Reference
    project: ProjectNumber
    occurrences: int
    is_current: bool


def reference_from(row: asyncpg.Record) -> Reference:
    """Return the reference a row describes."""
    return Reference(
        id=row["id"],
        source=row["source"],
        target=row["target"],
        type=ReferenceType(row["type"]),
        source_artifact=row["source_artifact"],
        valid=Interval(row["valid_from"], row["valid_until"]),
        in_part=row["in_part"],
    )


async def insert_reference(
    target: RowTarget,
    tenant: TenantNumber,
    project: ProjectNumber,
    reference: Reference,
    occurrences: int,
    recorded_at: datetime,
    actor: str,
) -> None:
    """Record a reference, with how often its document names it."""
    await insert_row(
        target,
        _INSERT_REFERENCE,
        tenant=tenant,
        id=reference.id,
        project=project,
        source=reference.source,
        target=reference.target,
        type=reference.type,
        occurrences=occurrences,
        source_artifact=reference.source_artifact,
        valid_from=reference.valid.start,
        valid_until=reference.valid.end,
        in_part=reference.in_part,
        recorded_at=recorded_at,
        actor=actor,
    )


async def end_dropped_references(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    entity: UUID,
    kept: Collection[Edge],
    end: datetime,
    recorded_at: datetime,
    actor: str,
    rows: RowTarget | None = None,
) -> list[Reference]:
    """End, at `end`, the references that a document stated and no longer states.

    Returns those references as they were. What is left of each is inserted into `rows`, else at once.
    """
    stated = await _stated_rows(connection, tenant, entity)
    dropped = [
        RecordedReference(reference_from(row), row["project_id"], row["occurrences"], is_current=True)
        for row in stated
        if reference_from(row).edge not in kept
    ]
    if dropped:
        ids = [each.reference.id for each in dropped]
        await connection.execute(SQL["retract_references"], tenant, ids, recorded_at)
    for each in dropped:
        await _insert_ended(rows or connection, tenant, each, end, recorded_at, actor)
    return [each.reference for each in dropped]


async def stated_by(connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID) -> list[Reference]:
    """Return the open references that the versions of a document state."""
    return [reference_from(row) for row in await _stated_rows(connection, tenant, entity)]


async def _stated_rows(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID
) -> list[asyncpg.Record]:
    rows: list[asyncpg.Record] = await connection.fetch(SQL["stated_by"], tenant, entity)
    return rows


async def end_reference(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    held: RecordedReference,
    end: datetime,
    recorded_at: datetime,
    actor: str,
    rows: RowTarget | None = None,
) -> Reference | None:
    """End a reference at `end` and return it as ended, or None if it started later and never applied.

    What is left of it is inserted into `rows`, else at once.
    """
    await retract_reference(connection, tenant, held.reference.id, recorded_at)
    return await _insert_ended(rows or connection, tenant, held, end, recorded_at, actor)


async def _insert_ended(
    target: RowTarget,
    tenant: TenantNumber,
    held: RecordedReference,
    end: datetime,
    recorded_at: datetime,
    actor: str,
) -> Reference | None:
    reference = held.reference
    if reference.valid.start >= end:
        return None
    ended = replace(reference, id=uuid4(), valid=Interval(reference.valid.start, end))
    await insert_reference(target, tenant, held.project, ended, held.occurrences, recorded_at, actor)
    return ended


async def retract_reference(
    connection: asyncpg.Connection, tenant: TenantNumber, id: UUID, recorded_at: datetime
) -> None:
    """Retract a reference."""
    await connection.execute(SQL["retract_reference"], tenant, id, recorded_at)


async def recorded_reference(
    connection: asyncpg.Connection, tenant: TenantNumber, id: UUID
) -> RecordedReference | None:
    """Return the reference of an id, current or not."""
    row = await connection.fetchrow(SQL["recorded_reference"], tenant, id)
    if row is None:
        return None
    return RecordedReference(reference_from(row), row["project_id"], row["occurrences"], row["is_believed"])


async def current_edge(
    connection: asyncpg.Connection, tenant: TenantNumber, edge: Edge, at: datetime
) -> Reference | None:
    """Return the reference of a type that joins two entities at a moment."""
    row = await connection.fetchrow(SQL["current_edge"], tenant, *edge, at)
    return None if row is None else reference_from(row)


async def close_pending_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, closed_at: datetime
) -> None:
    """Close the pending references that an entity states."""
    await connection.execute(SQL["close_pending_of"], tenant, entity, closed_at)


async def current_pieces(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    edge: Edge,
    start: datetime,
) -> list[Reference]:
    """Return the current references of a type between two entities at a moment or later, in order of time."""
    return [
        reference_from(row) for row in await connection.fetch(SQL["current_pieces"], tenant, *edge, start)
    ]


async def supersession_leads(
    connection: asyncpg.Connection, tenant: TenantNumber, start: UUID, end: UUID, since: datetime
) -> bool:
    """Return whether a chain of supersessions leads from one entity to another at a moment or later."""
    leads: bool = await connection.fetchval(SQL["leads_to"], tenant, start, end, since)
    return leads


async def current_among(
    connection: asyncpg.Connection, tenant: TenantNumber, edges: Sequence[Edge]
) -> dict[Edge, list[Reference]]:
    """Return the current references of these edges, by edge, each list in order of time."""
    found: dict[Edge, list[Reference]] = defaultdict(list)
    for row in await connection.fetch(SQL["current_among"], tenant, *_columns(edges)):
        reference = reference_from(row)
        found[reference.edge].append(reference)
    return dict(found)


async def edges_allowed(
    connection: asyncpg.Connection, tenant: TenantNumber, edges: Sequence[Edge]
) -> set[Edge]:
    """Return those of these edges that some rule allows."""
    if not edges:
        return set()
    rows = await connection.fetch(SQL["edges_allowed"], tenant, *_columns(edges))
    return {(row["source"], row["target"], ReferenceType(row["type"]), row["in_part"]) for row in rows}


def _columns(edges: Sequence[Edge]) -> list[list[object]]:
    """Return the sources of some edges, their targets, their types, and which are in part."""
    return [list(each) for each in zip(*edges, strict=True)]


async def types_that_may_join(
    connection: asyncpg.Connection, tenant: TenantNumber, source: UUID, target: UUID
) -> list[ReferenceType]:
    """Return the types of reference by which one entity may refer to another, by name."""
    rows = await connection.fetch(SQL["types_that_may_join"], tenant, source, target)
    return [ReferenceType(row["reference_type"]) for row in rows]


async def insert_pending(
    target: RowTarget,
    tenant: TenantNumber,
    project: ProjectNumber,
    pending: PendingReferenceRow,
    recorded_at: datetime,
    actor: str,
) -> None:
    """Record a pending reference, whose target is missing or ambiguous."""
    await insert_row(
        target,
        _INSERT_PENDING,
        tenant=tenant,
        id=pending.id,
        project=project,
        source=pending.source,
        target_key=pending.target_key,
        target_text=pending.target_text,
        type=pending.type,
        inverted=pending.inverted,
        occurrences=pending.occurrences,
        is_ambiguous=pending.is_ambiguous,
        source_artifact=pending.source_artifact,
        valid_from=pending.valid_from,
        in_part=pending.in_part,
        recorded_at=recorded_at,
        actor=actor,
    )


async def pending_on(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, keys: Sequence[str]
) -> list[tuple[datetime, PendingReferenceRow]]:
    """Return the references pending for one of these keys, oldest first, with when they were recorded."""
    rows = await connection.fetch(SQL["pending_on"], tenant, project, list(keys))
    return [(row["recorded_at"], _pending_from(row)) for row in rows]


def _pending_from(row: asyncpg.Record) -> PendingReferenceRow:
    return PendingReferenceRow(
        id=row["id"],
        source=row["source"],
        source_key=row["source_key"],
        source_uri=row["source_uri"],
        target_key=row["target_key"],
        target_text=row["target_text"],
        type=ReferenceType(row["type"]),
        inverted=row["inverted"],
        occurrences=row["occurrences"],
        is_ambiguous=row["is_ambiguous"],
        source_artifact=row["source_artifact"],
        valid_from=row["valid_from"],
        in_part=row["in_part"],
    )


async def close_pending(
    target: RowTarget, tenant: TenantNumber, ids: Sequence[UUID], closed_at: datetime
) -> None:
    """Close these pending references."""
    if not ids:
        return
    await insert_row(target, _CLOSE_PENDING, tenant=tenant, ids=list(ids), closed_at=closed_at)


@dataclass(frozen=True, slots=True)
class BoundReference:
    """A reference, and `since` when it would hold if the one of its ends had been there always.

    `written` is the date that the document gives for it, if it gives one.
    """

    recorded: RecordedReference
    since: datetime
    written: datetime | None

    @property
    def reference(self) -> Reference:
        """The reference itself."""
        return self.recorded.reference


async def references_since(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, begins: datetime | None = None
) -> list[BoundReference]:
    """Return the references that documents state from or to an entity; given a moment, those since then."""
    return [
        BoundReference(
            RecordedReference(reference_from(row), row["project_id"], row["occurrences"], is_current=True),
            row["since"],
            row["written"],
        )
        for row in await connection.fetch(SQL["references_since"], tenant, entity, begins)
    ]


async def late_successors(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID]
) -> list[UUID]:
    """Return what supersedes some documents from a later moment on than the date that a document gives."""
    rows = await connection.fetch(SQL["late_successors"], tenant, list(entities))
    return [row["source"] for row in rows]


async def references_by_id(
    connection: asyncpg.Connection, tenant: TenantNumber, ids: Sequence[UUID]
) -> dict[UUID, Reference]:
    """Return the references of these ids, by id."""
    rows = await connection.fetch(SQL["references_by_id"], tenant, list(ids))
    return {row["id"]: reference_from(row) for row in rows}
