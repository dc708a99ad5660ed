"""`trigraph state`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import asyncpg
import typer
from rich.console import Console

from app.cli.entity_lookup import ToldEntities, find_named, load_entities
from app.cli.output import moment_text, printable, properties_text, styled
from app.cli.runner import HELP, finish, read_moment, settings
from app.domain.entity import AliasResolution, Entity
from app.domain.page import MAX_ITEMS, PageRequest
from app.domain.temporal import EVERYTHING_KNOWN, AsOf, EntityState, StateEvent, present
from app.errors import NotFound
from app.services.container import Memory
from app.services.states import StateService, is_stale
from app.stores.postgres import artifacts, ledger_clock, lookups, state_history, states
from app.stores.postgres.lookups import labels_as_of
from app.stores.postgres.state_history import Arrival


@dataclass(frozen=True, slots=True)
class StateListing:
    """A thing, some of its states in order, the event that led to each, and what the causes are called.

    `aliases` are the forms that led from the name asked for to the thing, none for its own name or id.
    """

    entity: Entity
    label: str
    project: str
    aliases: tuple[str, ...]
    states: tuple[tuple[EntityState, StateEvent | None], ...]
    causes: Mapping[UUID, str]


async def load_history(
    memory: Memory, what: str, project: str | None, known_at: datetime | None
) -> StateListing:
    """Return all states of a thing, the first hundred.

    Raises NotFound when nothing goes by the name, or nothing was known of it then.
    """
    named = await find_named(memory, what, project, None)
    known = known_at or EVERYTHING_KNOWN
    async with memory.database.reading(memory.caller.tenant) as connection:
        where = (connection, memory.caller.tenant)
        id = named.entity.id
        pages = await state_history.states_of_entities(*where, [id], known, PageRequest(MAX_ITEMS))
        return await _told(*where, named, pages[id].items)


async def load_moment(
    memory: Memory, what: str, project: str | None, as_of: datetime | None, known_at: datetime | None
) -> StateListing:
    """Return what is in force of a thing at a moment, and its draft; raises NotFound as a history does."""
    named = await find_named(memory, what, project, as_of)
    async with memory.database.reading(memory.caller.tenant) as connection:
        where = (connection, memory.caller.tenant)
        valid = as_of or present(await ledger_clock.read_clock(*where))
        moment = AsOf(valid, known_at or EVERYTHING_KNOWN)
        found = await states.states_as_of(*where, [named.entity.id], moment)
        return await _told(*where, named, sorted(found.values(), key=lambda held: held.branch))


async def _told(
    connection: asyncpg.Connection, tenant: int, named: AliasResolution, held: Sequence[EntityState]
) -> StateListing:
    entity, now = (
        named.entity,
        AsOf(present(await ledger_clock.read_clock(connection, tenant)), EVERYTHING_KNOWN),
    )
    label = (await labels_as_of(connection, tenant, [entity.id], now))[entity.id]
    if not held:
        raise NotFound(
            f"nothing was known of {entity.type_name} {printable(label)} at that moment; --history alone"
            " shows since when it is"
        )
    project = (await lookups.projects_by_number(connection, tenant, [entity.project]))[entity.project]
    arrivals = [Arrival(entity.id, each.branch, each.valid.start, each.retracted_at) for each in held]
    events = await state_history.events_into(connection, tenant, arrivals)
    ids = [event.cause_artifact for event in events.values() if event.cause_artifact is not None]
    documents = await artifacts.artifacts_by_id(connection, tenant, ids)
    causes = {id: document.identifier or document.title for id, document in documents.items()}
    pairs = zip(held, arrivals, strict=True)
    told = tuple((each, events.get(arrival)) for each, arrival in pairs)
    aliases = tuple(alias.surface_form for alias in named.chain)
    return StateListing(entity, label, project.key, aliases, told, causes)


def print_states(console: Console, told: StateListing) -> None:
    """Write what the thing is, then each state: since when and what made it so, what was said, what it is."""
    console.print(styled(_what(told)), soft_wrap=True)
    for held, event in told.states:
        until = "" if held.valid.end is None else f" until {moment_text(held.valid.end)}"
        line = styled(f"{held.branch.lower().ljust(9)}  {moment_text(held.valid.start)}{until}", style="bold")
        console.print(line.append(f"  {_why(event, told.causes)}", style="blue"), soft_wrap=True)
        if event is not None and event.description is not None:
            console.print(styled(f"    {printable(event.description)}", style="italic"), soft_wrap=True)
        console.print(styled(f"    {properties_text(held.props)}"), soft_wrap=True)


def _what(told: StateListing) -> str:
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


def states_json(told: StateListing) -> dict[str, Any]:
    """Return a thing and its states with the names that the API gives them."""
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


@dataclass(frozen=True, slots=True)
class OpenDrafts:
    """The first of the drafts, how many there are in all, what they are drafts of, and the moment of it."""

    listed: tuple[EntityState, ...]
    count: int
    entities: ToldEntities
    now: datetime


async def load_drafts(memory: Memory, project: str | None) -> OpenDrafts:
    """Return the drafts of a project, or of all, the first hundred; raises NotFound for no project."""
    listing = await StateService(memory.database).drafts(memory.caller, project, PageRequest(MAX_ITEMS))
    async with memory.database.reading(memory.caller.tenant) as connection:
        now = present(await ledger_clock.read_clock(connection, memory.caller.tenant))
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
    """Return the drafts with the names that the API gives them."""
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


def state(
    what: Annotated[
        str | None, typer.Argument(metavar="NAME", help="An identifier, a name, an alias or an id.")
    ] = None,
    as_of: Annotated[
        datetime | None,
        typer.Option(parser=read_moment, metavar="MOMENT", help=f"What holds at this moment. {HELP}"),
    ] = None,
    known_at: Annotated[
        datetime | None,
        typer.Option(parser=read_moment, metavar="MOMENT", help="Answer from what was recorded until then."),
    ] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Show every state, the first hundred, instead of one moment's.")
    ] = False,
    drafts: Annotated[
        bool,
        typer.Option("--drafts", help="List every draft, the first hundred, the longest untouched first."),
    ] = False,
    project: Annotated[str | None, typer.Option(help="Look into this project only.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what is true of a thing, since when, what made it so and what was said of it; its draft too."""
    if drafts:
        if what is not None or history or as_of is not None or known_at is not None:
            raise typer.BadParameter("--drafts lists the drafts of now; give it --project alone")
        finish(_drafts(project, as_json=as_json))
        return
    if what is None:
        raise typer.BadParameter("name the thing to show; --drafts lists all drafts")
    if history and as_of is not None:
        raise typer.BadParameter("--history shows all moments; leave out --as-of, or move --known-at")
    finish(_state(what, project, as_of, known_at, history=history, as_json=as_json))


async def _drafts(project: str | None, *, as_json: bool) -> None:
    from app.cli.output import console, print_json
    from app.services.container import open_memory

    async with open_memory(settings()) as memory:
        found = await load_drafts(memory, project)
    if as_json:
        print_json(drafts_json(found))
    else:
        print_drafts(console(), found)


async def _state(
    what: str,
    project: str | None,
    as_of: datetime | None,
    known_at: datetime | None,
    *,
    history: bool,
    as_json: bool,
) -> None:
    from app.cli.output import console, print_json
    from app.services.container import open_memory

    async with open_memory(settings()) as memory:
        if history:
            told = await load_history(memory, what, project, known_at)
        else:
            told = await load_moment(memory, what, project, as_of, known_at)
    if as_json:
        print_json(states_json(told))
    else:
        print_states(console(), told)
