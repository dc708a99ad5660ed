"""The states of one thing, as a table that people read and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
from rich.console import Console

from app.cli.named import find_named
from app.cli.printing import moment_text, printable, properties_text
from app.cli.screen import styled
from app.domain.entity import AliasResolution, Entity
from app.domain.moment import EVERYTHING_KNOWN, present
from app.domain.page import MOST_ITEMS, PageRequest
from app.domain.temporal import AsOf, EntityState, StateEvent
from app.errors import NotFound
from app.services.memory import Memory
from app.stores.postgres import artifacts, histories, ledger, lookups, states
from app.stores.postgres.histories import Arrival
from app.stores.postgres.labels import labels_as_of


@dataclass(frozen=True, slots=True)
class Told:
    """A thing, some of its states in order, the event that led to each, and what the causes are called.

    `aliases` are the forms that led from the name asked for to the thing, none for its own name or id.
    """

    entity: Entity
    label: str
    project: str
    aliases: tuple[str, ...]
    states: tuple[tuple[EntityState, StateEvent | None], ...]
    causes: Mapping[UUID, str]


async def load_history(memory: Memory, what: str, project: str | None, known_at: datetime | None) -> Told:
    """Answer all states of a thing, the first hundred.

    Raises NotFound when nothing goes by the name, or nothing was known of it then.
    """
    named = await find_named(memory, what, project, None)
    known = known_at or EVERYTHING_KNOWN
    async with memory.database.reading(memory.caller.tenant) as connection:
        where = (connection, memory.caller.tenant)
        id = named.entity.id
        pages = await histories.states_of_entities(*where, [id], known, PageRequest(MOST_ITEMS))
        return await _told(*where, named, pages[id].items)


async def load_moment(
    memory: Memory, what: str, project: str | None, as_of: datetime | None, known_at: datetime | None
) -> Told:
    """Answer what is in force of a thing at a moment, and its draft; raises NotFound as a history does."""
    named = await find_named(memory, what, project, as_of)
    async with memory.database.reading(memory.caller.tenant) as connection:
        where = (connection, memory.caller.tenant)
        valid = as_of or present(await ledger.read_clock(*where))
        moment = AsOf(valid, known_at or EVERYTHING_KNOWN)
        found = await states.states_as_of(*where, [named.entity.id], moment)
        return await _told(*where, named, sorted(found.values(), key=lambda held: held.branch))


async def _told(
    connection: asyncpg.Connection, tenant: int, named: AliasResolution, held: Sequence[EntityState]
) -> Told:
    entity, now = named.entity, AsOf(present(await ledger.read_clock(connection, tenant)), EVERYTHING_KNOWN)
    label = (await labels_as_of(connection, tenant, [entity.id], now))[entity.id]
    if not held:
        raise NotFound(
            f"nothing was known of {entity.type_name} {printable(label)} at that moment; --history alone"
            " shows since when it is"
        )
    project = (await lookups.projects_by_number(connection, tenant, [entity.project]))[entity.project]
    arrivals = [Arrival(entity.id, each.branch, each.valid.start, each.retracted_at) for each in held]
    events = await histories.events_into(connection, tenant, arrivals)
    ids = [event.cause_artifact for event in events.values() if event.cause_artifact is not None]
    documents = await artifacts.artifacts_by_id(connection, tenant, ids)
    causes = {id: document.identifier or document.title for id, document in documents.items()}
    pairs = zip(held, arrivals, strict=True)
    told = tuple((each, events.get(arrival)) for each, arrival in pairs)
    aliases = tuple(alias.surface_form for alias in named.chain)
    return Told(entity, label, project.key, aliases, told, causes)


def print_states(console: Console, told: Told) -> None:
    """Write what the thing is, then each state: since when and what made it so, what was said, what it is."""
    console.print(styled(_what(told)), soft_wrap=True)
    for held, event in told.states:
        until = "" if held.valid.end is None else f" until {moment_text(held.valid.end)}"
        line = styled(f"{held.branch.lower().ljust(9)}  {moment_text(held.valid.start)}{until}", style="bold")
        console.print(line.append(f"  {_why(event, told.causes)}", style="blue"), soft_wrap=True)
        if event is not None and event.description is not None:
            console.print(styled(f"    {printable(event.description)}", style="italic"), soft_wrap=True)
        console.print(styled(f"    {properties_text(held.props)}"), soft_wrap=True)


def _what(told: Told) -> str:
    """Say what is shown, and by which aliases it was found: `ADR Queue (id) in harbor, by the alias Mole`."""
    by = "" if not told.aliases else f", by the alias {', then '.join(told.aliases)}"
    return printable(f"{told.entity.type_name} {told.label} ({told.entity.id}) in {told.project}{by}")


def _why(event: StateEvent | None, causes: Mapping[UUID, str]) -> str:
    """Say what made a state so: `superseded at 1a2b3c because of ADR-13, told by ada`."""
    if event is None:
        return ""
    commit = "" if event.cause_commit is None else f" at {event.cause_commit[:12]}"
    cause = None if event.cause_artifact is None else causes.get(event.cause_artifact)
    because = "" if cause is None else f" because of {cause}"
    return printable(f"{event.event_type}{commit}{because}, told by {event.actor}")


def _cause(event: StateEvent, causes: Mapping[UUID, str]) -> dict[str, Any] | None:
    cause = event.cause_artifact
    return None if cause is None else {"id": cause, "label": causes.get(cause)}


def states_json(told: Told) -> dict[str, Any]:
    """Answer a thing and its states with the names that the API gives them."""
    return {
        "entity": {
            "id": str(told.entity.id),
            "type": told.entity.type_name,
            "label": told.label,
            "project": told.project,
        },
        "aliases": told.aliases,
        "states": [
            {
                "id": str(held.id),
                "branch": held.branch,
                "validFrom": held.valid.start,
                "validUntil": held.valid.end,
                "recordedAt": held.recorded_at,
                "props": held.props,
                "eventType": None if event is None else event.event_type,
                "causeArtifact": None if event is None else _cause(event, told.causes),
                "causeCommit": None if event is None else event.cause_commit,
                "description": None if event is None else event.description,
                "actor": held.actor if event is None else event.actor,
            }
            for held, event in told.states
        ],
    }
