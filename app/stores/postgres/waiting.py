"""References that wait for their other end, a page at a time and by the entity that makes them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.entity import ReferenceType
from app.domain.page import Page, PageRequest
from app.domain.waiting import WaitingReference
from app.stores.postgres.ledger_connection import planned_anew
from app.stores.postgres.listings import page_bounds
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


async def waiting_page(
    connection: asyncpg.Connection, tenant: int, project: int | None, page: PageRequest
) -> Page[WaitingReference]:
    """Answer a page of the references that wait, of one project or of all, the longest first."""
    async with planned_anew(connection):
        rows = await connection.fetch(SQL["waiting_page"], tenant, project, *page_bounds(page))
    return Page.cut([_waiting(row) for row in rows], page.first)


async def count_waiting(connection: asyncpg.Connection, tenant: int, project: int | None) -> int:
    """Answer how many references wait, of one project or of all."""
    async with planned_anew(connection):
        count: int = await connection.fetchval(SQL["count_waiting"], tenant, project)
    return count


async def waiting_of(
    connection: asyncpg.Connection, tenant: int, source: UUID, known: datetime
) -> list[WaitingReference]:
    """Answer the references of an entity that waited at a transaction time, typed ones first."""
    return [_waiting(row) for row in await connection.fetch(SQL["waiting_of"], tenant, source, known)]


def _waiting(row: asyncpg.Record) -> WaitingReference:
    return WaitingReference(**{**row, "type": ReferenceType(row["type"])})
