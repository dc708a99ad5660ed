"""Drafts that are neither sealed nor discarded, as blocks that people read and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rich.console import Console

from app.cli.entities_told import ToldEntities, load_entities
from app.cli.printing import moment_text, printable, properties_text
from app.cli.screen import styled
from app.domain.moment import present
from app.domain.page import MOST_ITEMS, PageRequest
from app.domain.temporal import EntityState
from app.services.memory import Memory
from app.services.states import StateService, is_stale
from app.stores.postgres import ledger


@dataclass(frozen=True, slots=True)
class OpenDrafts:
    """The first of the drafts, how many there are in all, what they are drafts of, and the moment of it."""

    listed: tuple[EntityState, ...]
    count: int
    entities: ToldEntities
    now: datetime


async def load_drafts(memory: Memory, project: str | None) -> OpenDrafts:
    """Answer the drafts of a project, or of all, the first hundred; raises NotFound for no project."""
    listing = await StateService(memory.database).drafts(memory.caller, project, PageRequest(MOST_ITEMS))
    async with memory.database.reading(memory.caller.tenant) as connection:
        now = present(await ledger.read_clock(connection, memory.caller.tenant))
    called = await load_entities(memory, {draft.entity for draft in listing.page.items}, now)
    return OpenDrafts(listing.page.items, await listing.count(), called, now)


def print_drafts(console: Console, found: OpenDrafts) -> None:
    """Write each draft: its id, what it is a draft of, since when nobody touched it, then what it says."""
    for draft in found.listed:
        name = found.entities.told(draft.entity)
        stale = "; seal it or discard it" if is_stale(draft, found.now) else ""
        touched = f"touched {moment_text(draft.recorded_at)} by {draft.actor}{stale}"
        console.print(styled(f"{draft.id}  {printable(name)}  {printable(touched)}"), soft_wrap=True)
        console.print(styled(f"    {properties_text(draft.props)}", style="dim"), soft_wrap=True)
    if more := found.count - len(found.listed):
        console.print(f"{more} more drafts")
    if not found.count:
        console.print("no drafts")


def drafts_json(found: OpenDrafts) -> dict[str, Any]:
    """Answer the drafts with the names that the API gives them."""
    return {
        "drafts": [
            {
                "id": draft.id,
                "entity": found.entities.object(draft.entity),
                "props": draft.props,
                "wipSource": draft.wip_source,
                "touchedAt": draft.recorded_at,
                "isStale": is_stale(draft, found.now),
                "actor": draft.actor,
            }
            for draft in found.listed
        ],
        "count": found.count,
    }
