"""What the ledger holds already of the history of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.entity import ReferenceType
from app.domain.temporal import Interval
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


@dataclass(frozen=True, slots=True)
class Statement:
    """Something said of properties from a moment on: by a document, by a commit, or by a caller alone.

    `props` is all that the entity then was; what of it was said is under the names in `properties`.
    """

    at: datetime
    event_type: str
    cause_commit: str | None
    by_document: bool
    properties: Sequence[str]
    props: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Version:
    """One artifact of an entity, without its text."""

    id: UUID
    created_at: datetime
    content_hash: str
    source_uri: str | None
    source_commit: str | None


@dataclass(frozen=True, slots=True)
class Span:
    """How long a reference is believed to hold, and the entity whose document states it."""

    id: UUID
    valid: Interval
    occurrences: int
    source_artifact: UUID | None
    stated_by: UUID | None


async def commits_told(connection: asyncpg.Connection, tenant: int, entity: UUID) -> frozenset[str]:
    """Answer the commits that caused states of an entity."""
    rows = await connection.fetch(SQL["commits_told"], tenant, entity)
    return frozenset(row["cause_commit"] for row in rows)


async def statements_about(connection: asyncpg.Connection, tenant: int, entity: UUID) -> list[Statement]:
    """Answer what was ever said of an entity's committed line, in the order in which it was said."""
    return [Statement(**row) for row in await connection.fetch(SQL["statements_about"], tenant, entity)]


async def versions_of(connection: asyncpg.Connection, tenant: int, entity: UUID) -> list[Version]:
    """Answer the versions of an entity in the order in which they take effect."""
    rows = await connection.fetch(SQL["versions_of"], tenant, entity)
    return [Version(**row) for row in rows]


async def spans_of_edge(
    connection: asyncpg.Connection, tenant: int, edge: tuple[UUID, UUID, ReferenceType]
) -> list[Span]:
    """Answer when an edge is believed to hold, the earliest span first."""
    rows = await connection.fetch(SQL["spans_of_edge"], tenant, *edge)
    return [
        Span(
            id=row["id"],
            valid=Interval(row["valid_from"], row["valid_until"]),
            occurrences=row["occurrences"],
            source_artifact=row["source_artifact"],
            stated_by=row["stated_by"],
        )
        for row in rows
    ]


async def retract_span(
    connection: asyncpg.Connection, tenant: int, span: UUID, retracted_at: datetime
) -> None:
    """Stop believing that a reference holds so long."""
    await connection.execute(SQL["retract_span"], tenant, span, retracted_at)
