"""What waits for somebody: drafts that nobody has touched for a month."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import asyncpg

from app.domain.ontology import label_of
from app.domain.page import MOST_ITEMS
from app.domain.temporal import EntityState
from app.stores.postgres import states

STALE_AFTER = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Reminder:
    """Something to look after, since when, and what to do about it."""

    category: str
    message: str
    entity: UUID
    since: datetime


async def stale_drafts(
    connection: asyncpg.Connection, tenant: int, project: int | None, now: datetime
) -> list[Reminder]:
    """Answer the open drafts not touched for 30 days, of one project or of all, at most 100, oldest first."""
    held = await states.drafts_untouched_since(connection, tenant, now - STALE_AFTER, project, MOST_ITEMS)
    return [_reminder(draft, now) for draft in held]


def is_stale(draft: EntityState, now: datetime) -> bool:
    """Tell whether nobody has touched an open draft for 30 days."""
    return draft.recorded_at <= now - STALE_AFTER


def _reminder(draft: EntityState, now: datetime) -> Reminder:
    name = label_of(draft.props) or str(draft.entity)
    days = (now - draft.recorded_at).days
    message = f"the draft of {name} has not been touched for {days} days; seal it or discard it"
    return Reminder("stale_wip", message, draft.entity, draft.recorded_at)
