"""The states of one thing, as a table that people read and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
from rich.console import Console
from rich.text import Text

from app.cli.printing import moment_text, printable, properties_text
from app.domain.entity import Entity
from app.domain.moment import EVERYTHING_KNOWN, present
from app.domain.page import MOST_ITEMS, PageRequest
from app.domain.temporal import AsOf, EntityState, StateEvent
from app.errors import NotFound
from app.services.catalog import CatalogService
from app.services.memory import Memory
from app.stores.postgres import artifacts, entities, histories, ledger, states
from app.stores.postgres.histories import Arrival


@dataclass(frozen=True, slots=True)
class Told:
    """A thing, some of its states in order, the event that led to each, and what the causes are called."""

    entity: Entity
    states: tuple[tuple[EntityState, StateEvent | None], ...]
    causes: Mapping[UUID, str]


async def load_history(memory: Memory, what: str, project: str | None, known_at: datetime | None) -> Told:
    """Answer all states of a thing, the first hundred; raises NotFound when nothing goes by the name."""
    entity = await _named(memory, what, project, None)
    known = known_at or EVERYTHING_KNOWN
    async with memory.database.reading(memory.caller.tenant) as connection:
        where = (connection, memory.caller.tenant)
        pages = await histories.states_of_entities(*where, [entity.id], known, PageRequest(MOST_ITEMS))
        return await _told(*where, entity, pages[entity.id].items)


async def load_moment(
    memory: Memory, what: str, project: str | None, as_of: datetime | None, known_at: datetime | None
) -> Told:
    """Answer what is in force of a thing at a moment, and its draft; raises NotFound as a history does."""
    entity = await _named(memory, what, project, as_of)
    async with memory.database.reading(memory.caller.tenant) as connection:
        where = (connection, memory.caller.tenant)
        valid = as_of or present(await ledger.read_clock(*where))
        found = await states.states_as_of(*where, [entity.id], AsOf(valid, known_at or EVERYTHING_KNOWN))
        return await _told(*where, entity, sorted(found.values(), key=lambda held: held.branch))


async def _named(memory: Memory, what: str, project: str | None, as_of: datetime | None) -> Entity:
    try:
        id = UUID(what)
    except ValueError:
        catalog = CatalogService(memory.database)
        resolved = await catalog.resolve_alias(memory.caller, what, project, as_of)
        found = None if resolved is None else resolved.entity
    else:
        async with memory.database.reading(memory.caller.tenant) as connection:
            found = (await entities.entities_by_id(connection, memory.caller.tenant, [id])).get(id)
    if found is None:
        raise NotFound(f"nothing goes by {printable(what)} at that moment; ask by an identifier, name or id")
    return found


async def _told(
    connection: asyncpg.Connection, tenant: int, entity: Entity, held: Sequence[EntityState]
) -> Told:
    arrivals = [Arrival(entity.id, each.branch, each.valid.start, each.retracted_at) for each in held]
    events = await histories.events_into(connection, tenant, arrivals)
    ids = [event.cause_artifact for event in events.values() if event.cause_artifact is not None]
    documents = await artifacts.artifacts_by_id(connection, tenant, ids)
    causes = {id: document.identifier or document.title for id, document in documents.items()}
    pairs = zip(held, arrivals, strict=True)
    return Told(entity, tuple((each, events.get(arrival)) for each, arrival in pairs), causes)


def print_states(console: Console, told: Told) -> None:
    """Write each state as two lines: since when and what made it so, then what it says."""
    if not told.states:
        console.print("nothing was known of it at that moment", soft_wrap=True)
    for held, event in told.states:
        until = "" if held.valid.end is None else f" until {moment_text(held.valid.end)}"
        line = Text(f"{held.branch.lower().ljust(9)}  {moment_text(held.valid.start)}{until}", style="bold")
        console.print(line.append(f"  {_why(event, told.causes)}", style="blue"), soft_wrap=True)
        console.print(Text(f"    {properties_text(held.props)}"), soft_wrap=True)


def _why(event: StateEvent | None, causes: Mapping[UUID, str]) -> str:
    """Say what made a state so: `superseded at 1a2b3c because of ADR-13, told by ada`."""
    if event is None:
        return ""
    commit = "" if event.cause_commit is None else f" at {event.cause_commit[:12]}"
    cause = None if event.cause_artifact is None else causes.get(event.cause_artifact)
    because = "" if cause is None else f" because of {cause}"
    return printable(f"{event.event_type}{commit}{because}, told by {event.actor}")


def states_json(told: Told) -> dict[str, Any]:
    """Answer a thing and its states with the names that the API gives them."""
    return {
        "entity": {"id": str(told.entity.id), "type": told.entity.type_name},
        "states": [
            {
                "id": str(held.id),
                "branch": held.branch,
                "validFrom": held.valid.start,
                "validUntil": held.valid.end,
                "recordedAt": held.recorded_at,
                "props": held.props,
                "eventType": None if event is None else event.event_type,
                "causeCommit": None if event is None else event.cause_commit,
                "description": None if event is None else event.description,
                "actor": held.actor if event is None else event.actor,
            }
            for held, event in told.states
        ],
    }
