"""The drafts that are neither sealed nor discarded, a page at a time."""

from __future__ import annotations

import asyncpg

from app.domain.page import Page, PageRequest
from app.domain.temporal import EntityState
from app.stores.postgres.ledger_connection import planned_anew
from app.stores.postgres.listings import page_bounds
from app.stores.postgres.sql import blocks_beside
from app.stores.postgres.states import state_from

SQL = blocks_beside(__file__)


async def drafts_page(
    connection: asyncpg.Connection, tenant: int, project: int | None, page: PageRequest
) -> Page[EntityState]:
    """Answer a page of the open drafts, of one project or of all, the longest untouched first."""
    async with planned_anew(connection):
        rows = await connection.fetch(SQL["drafts_page"], tenant, project, *page_bounds(page))
    return Page.cut([state_from(row) for row in rows], page.first)


async def count_drafts(connection: asyncpg.Connection, tenant: int, project: int | None) -> int:
    """Answer how many open drafts there are, of one project or of all."""
    async with planned_anew(connection):
        count: int = await connection.fetchval(SQL["count_drafts"], tenant, project)
    return count
