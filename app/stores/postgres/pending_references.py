"""Pending references: pages of them, and those of one entity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

import asyncpg

from app.domain.entity import PendingReference, ReferenceType
from app.domain.identifier import identifier_key
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.page import Page, PageRequest
from app.domain.text import name_key
from app.stores.named_blocks import PageStatement, sql_blocks
from app.stores.postgres.connection import custom_plans
from app.stores.postgres.lists import page_bounds, page_statement
from app.stores.postgres.references import PendingReferenceRow

SQL = sql_blocks(__file__)
_PENDING = PageStatement.read(SQL["pending_page"])


@dataclass(frozen=True, slots=True)
class PendingFilter:
    """A filter: references of one project, or of all, that were pending at a transaction time."""

    project: ProjectNumber | None
    known: datetime


async def pending_page(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: PendingFilter, page: PageRequest
) -> Page[PendingReference]:
    """Return a page of pending references, oldest first."""
    asked = (wanted.project, wanted.known, *page_bounds(page))
    async with custom_plans(connection):
        rows = await connection.fetch(page_statement(_PENDING, page), tenant, *asked)
    return Page.cut([_pending_reference(row) for row in rows], page)


async def count_pending(connection: asyncpg.Connection, tenant: TenantNumber, wanted: PendingFilter) -> int:
    """Return the number of pending references."""
    async with custom_plans(connection):
        count: int = await connection.fetchval(SQL["count_pending"], tenant, wanted.project, wanted.known)
    return count


async def pending_of(
    connection: asyncpg.Connection, tenant: TenantNumber, source: UUID, known: datetime
) -> list[PendingReference]:
    """Return an entity's references that were pending at a transaction time, typed ones first."""
    return [
        _pending_reference(row) for row in await connection.fetch(SQL["pending_of"], tenant, source, known)
    ]


def _pending_reference(row: asyncpg.Record) -> PendingReference:
    return PendingReference(**{**row, "type": ReferenceType(row["type"])})


async def pending_by_name(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, forms: Sequence[str]
) -> dict[UUID, PendingReferenceRow]:
    """Return the references by which documents name an entity by these forms only, as pending ones.

    Keyed by the id of the reference. References that a caller stated or that the entity's own documents make
    do not depend on a name.
    """
    names, keys = [name_key(form) for form in forms], [identifier_key(form) for form in forms]
    rows = await connection.fetch(SQL["resting_on"], tenant, entity, names, keys)
    return {row["reference"]: _open_reference(row) for row in rows}


def _open_reference(row: asyncpg.Record) -> PendingReferenceRow:
    return PendingReferenceRow(
        id=uuid4(),
        source=row["source"],
        source_key=row["source_key"],
        source_uri=row["source_uri"],
        target_key=identifier_key(row["target_text"]),
        target_text=row["target_text"],
        type=ReferenceType(row["type"]),
        inverted=row["inverted"],
        occurrences=row["occurrences"],
        is_ambiguous=False,
        source_artifact=row["source_artifact"],
        valid_from=row["valid_from"],
        in_part=row["in_part"],
    )
