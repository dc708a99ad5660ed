"""`trigraph state` and `trigraph list`: show the states of an entity, or list drafts or entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from rich.console import Console

from app.cli.output import moment_text, printable, properties_text, styled_text
from app.cli.runner import MOMENT_HELP, parse_moment, run_async, settings
from app.domain.entity import AliasResolution, Caller, Entity
from app.domain.page import MAX_ITEMS, PageRequest
from app.domain.recall import StateFlag
from app.domain.temporal import EVERYTHING_KNOWN, AsOf, Branch, EntityState, StateEvent, present
from app.errors import NotFound

if TYPE_CHECKING:
    import asyncpg

    from app.cli.entity_lookup import EntityNames
    from app.services.catalog import WantedStanding
    from app.services.container import Memory


@dataclass(frozen=True, slots=True)
class StateListing:
    """An entity, some of its states in order with their events, the labels of the causes, and its successor.

    `aliases` are the aliases that led from the given name to the entity; empty for its own name or id.
    """

    entity: Entity
    label: str
    project: str
    aliases: tuple[str, ...]
    states: tuple[tuple[EntityState, StateEvent | None], ...]
    causes: Mapping[UUID, str]
    superseded: Superseded | None


@dataclass(frozen=True, slots=True)
class Superseded:
    """What took the place of an entity, by its id and what it is called, and since when."""

    by: UUID
    called: str
    since: datetime


async def load_history(
    memory: Memory, what: str, project: str | None, known_at: datetime | None
) -> StateListing:
    """Load the first hundred states of an entity.

    Raises NotFound when no entity has the name, or nothing was known of it then.
    """
    from app.cli.entity_lookup import find_named
    from app.stores.postgres import ledger_clock, state_history

    named = await find_named(memory, what, project, None)
    known = known_at or EVERYTHING_KNOWN
    async with memory.database.reading(memory.caller.tenant) as connection:
        where = (connection, memory.caller.tenant)
        id = named.entity.id
        pages = await state_history.states_of_entities(*where, [id], known, PageRequest(MAX_ITEMS))
        moment = AsOf(present(await ledger_clock.read_clock(*where)), known)
        return await _load_listing(connection, memory.caller, named, pages[id].items, moment)


async def load_moment(
    memory: Memory, what: str, project: str | None, as_of: datetime | None, known_at: datetime | None
) -> StateListing:
    """Load the state of an entity at a moment, and its draft; raises NotFound as `load_history` does."""
    from app.cli.entity_lookup import find_named
    from app.stores.postgres import ledger_clock, states

    named = await find_named(memory, what, project, as_of)
    async with memory.database.reading(memory.caller.tenant) as connection:
        where = (connection, memory.caller.tenant)
        valid = as_of or present(await ledger_clock.read_clock(*where))
        moment = AsOf(valid, known_at or EVERYTHING_KNOWN)
        found = await states.states_as_of(*where, [named.entity.id], moment)
        held = sorted(found.values(), key=lambda state: state.branch)
        return await _load_listing(connection, memory.caller, named, held, moment)


async def _load_listing(
    connection: asyncpg.Connection,
    caller: Caller,
    named: AliasResolution,
    held: Sequence[EntityState],
    moment: AsOf,
) -> StateListing:
    from app.stores.postgres import artifacts, ledger_clock, lookups, state_history
    from app.stores.postgres.lookups import labels_as_of
    from app.stores.postgres.state_history import Arrival

    tenant = caller.tenant
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
    listing = tuple((each, events.get(arrival)) for each, arrival in pairs)
    aliases = tuple(alias.surface_form for alias in named.chain)
    superseded = await _load_superseded(connection, caller, entity.id, moment)
    return StateListing(entity, label, project.key, aliases, listing, causes, superseded)


async def _load_superseded(
    connection: asyncpg.Connection, caller: Caller, entity: UUID, moment: AsOf
) -> Superseded | None:
    from app.services.catalog.lookup import superseder_of
    from app.stores.postgres.lookups import called_as_of

    found = await superseder_of(connection, caller, entity, moment)
    if found is None:
        return None
    by, since = found
    names = (await called_as_of(connection, caller.tenant, [by], moment))[by]
    called = dict.fromkeys(name for name in (names.identifier, names.label) if name)
    return Superseded(by, " ".join(called), since)


def print_states(console: Console, listing: StateListing) -> None:
    """Print the entity, then each state: since when, its event, its description and its properties."""
    console.print(styled_text(_heading(listing)), soft_wrap=True)
    if (superseded := listing.superseded) is not None:
        said = f"superseded by {superseded.called} since {moment_text(superseded.since)}"
        console.print(styled_text(printable(said), style="yellow"), soft_wrap=True)
    for held, event in listing.states:
        until = "" if held.valid.end is None else f" until {moment_text(held.valid.end)}"
        line = styled_text(
            f"{held.branch.lower().ljust(9)}  {moment_text(held.valid.start)}{until}", style="bold"
        )
        console.print(line.append(f"  {_event_text(event, listing.causes)}", style="blue"), soft_wrap=True)
        if event is not None and event.description is not None:
            console.print(styled_text(f"    {printable(event.description)}", style="italic"), soft_wrap=True)
        console.print(styled_text(f"    {properties_text(held.props)}"), soft_wrap=True)


def _heading(listing: StateListing) -> str:
    """Return the entity and the aliases that led to it: `ADR Queue (id) in harbor, by the alias Mole`."""
    by = "" if not listing.aliases else f", by the alias {', then '.join(listing.aliases)}"
    return printable(
        f"{listing.entity.type_name} {listing.label} ({listing.entity.id}) in {listing.project}{by}"
    )


def _event_text(event: StateEvent | None, causes: Mapping[UUID, str]) -> str:
    """Return the event of a state: `superseded at 1a2b3c because of ADR-13, told by ada`."""
    if event is None:
        return ""
    commit = "" if event.cause_commit is None else f" at {event.cause_commit[:12]}"
    cause = None if event.cause_artifact is None else causes.get(event.cause_artifact)
    because = "" if cause is None else f" because of {cause}"
    return printable(f"{event.event_type}{commit}{because}, told by {event.actor}")


def _cause(event: StateEvent, causes: Mapping[UUID, str]) -> dict[str, Any] | None:
    cause = event.cause_artifact
    return None if cause is None else {"id": cause, "label": causes.get(cause)}


def states_json(listing: StateListing) -> dict[str, Any]:
    """Return an entity and its states as a JSON object with the names of the API."""
    return {
        "entity": {
            "id": str(listing.entity.id),
            "type": listing.entity.type_name,
            "label": listing.label,
            "project": listing.project,
        },
        "aliases": listing.aliases,
        "supersededBy": None
        if listing.superseded is None
        else {
            "id": listing.superseded.by,
            "label": listing.superseded.called,
            "since": listing.superseded.since,
        },
        "states": [
            {
                "id": str(held.id),
                "branch": held.branch,
                "validFrom": held.valid.start,
                "validUntil": held.valid.end,
                "recordedAt": held.recorded_at,
                "props": held.props,
                "eventType": None if event is None else event.event_type,
                "causeArtifact": None if event is None else _cause(event, listing.causes),
                "causeCommit": None if event is None else event.cause_commit,
                "description": None if event is None else event.description,
                "actor": held.actor if event is None else event.actor,
            }
            for held, event in listing.states
        ],
    }


@dataclass(frozen=True, slots=True)
class EntityListing:
    """The first of some entities with their committed states, their total count, and their names."""

    listed: tuple[tuple[UUID, EntityState | None], ...]
    count: int
    entities: EntityNames


async def load_entities_by_standing(
    memory: Memory,
    project: str | None,
    standing: WantedStanding,
    type_name: str | None = None,
    as_of: datetime | None = None,
) -> EntityListing:
    """Load the first hundred entities of a standing at a moment, the newest first.

    Raises NotFound for an unknown project, and Invalid for an unknown type.
    """
    from app.cli.entity_lookup import load_entities
    from app.services.catalog import CatalogService
    from app.services.catalog.lookup import instant
    from app.stores.postgres import states

    catalog, page = CatalogService(memory.database), PageRequest(MAX_ITEMS)
    listing = await catalog.entities(memory.caller, project, type_name, as_of, page, standing)
    ids = [entity.id for entity in listing.page.items]
    async with memory.database.reading(memory.caller.tenant) as connection:
        moment = AsOf(await instant(connection, memory.caller, as_of), EVERYTHING_KNOWN)
        held = await states.states_as_of(connection, memory.caller.tenant, ids, moment)
    listed = tuple((id, held.get((id, Branch.COMMITTED))) for id in ids)
    return EntityListing(listed, await listing.count(), await load_entities(memory, ids, as_of))


def print_entities(console: Console, found: EntityListing) -> None:
    """Print each entity: its name, its status and since when."""
    for id, held in found.listed:
        line = styled_text(printable(found.entities.text(id)))
        if held is not None:
            said = f"{held.props.get('status') or 'no status'} since {moment_text(held.valid.start)}"
            line.append(f"  {printable(said)}", style="dim")
        console.print(line, soft_wrap=True)
    if more := found.count - len(found.listed):
        console.print(f"{more} more")


def entities_json(found: EntityListing) -> dict[str, Any]:
    """Return entities and their standing as a JSON object with the names of the API."""
    return {
        "entities": [
            {
                **found.entities.object(id),
                "status": None if held is None else held.props.get("status"),
                "validFrom": None if held is None else held.valid.start,
            }
            for id, held in found.listed
        ],
        "count": found.count,
    }


@dataclass(frozen=True, slots=True)
class OpenDrafts:
    """The first of the open drafts, their total count, their entities, the present, and what is proposed.

    `proposed` are the first of the entities whose status makes them work in progress.
    """

    listed: tuple[EntityState, ...]
    count: int
    entities: EntityNames
    now: datetime
    proposed: EntityListing


async def load_drafts(memory: Memory, project: str | None) -> OpenDrafts:
    """Load the first hundred drafts, and proposals, of a project or of all; raises NotFound without one."""
    from app.cli.entity_lookup import load_entities
    from app.services.catalog import WantedStanding
    from app.services.states import StateService
    from app.stores.postgres import ledger_clock

    listing = await StateService(memory.database).drafts(memory.caller, project, PageRequest(MAX_ITEMS))
    async with memory.database.reading(memory.caller.tenant) as connection:
        now = present(await ledger_clock.read_clock(connection, memory.caller.tenant))
    names = await load_entities(memory, {draft.entity for draft in listing.page.items}, now)
    proposed = await load_entities_by_standing(memory, project, WantedStanding((StateFlag.WIP,)))
    return OpenDrafts(listing.page.items, await listing.count(), names, now, proposed)


def print_drafts(console: Console, found: OpenDrafts) -> None:
    """Print each draft: its id, its entity, when and by whom it was last saved, and its properties.

    What is proposed follows.
    """
    from app.services.states import is_stale

    for draft in found.listed:
        name = found.entities.text(draft.entity)
        stale = "; seal it or discard it" if is_stale(draft, found.now) else ""
        touched = f"touched {moment_text(draft.recorded_at)} by {draft.actor}{stale}"
        console.print(styled_text(f"{draft.id}  {printable(name)}  {printable(touched)}"), soft_wrap=True)
        console.print(styled_text(f"    {properties_text(draft.props)}", style="dim"), soft_wrap=True)
    if more := found.count - len(found.listed):
        console.print(f"{more} more drafts")
    if not found.count:
        console.print("no drafts")
    if found.proposed.count:
        console.print(styled_text("proposed", style="bold"))
        print_entities(console, found.proposed)


def drafts_json(found: OpenDrafts) -> dict[str, Any]:
    """Return the drafts as a JSON object with the names of the API."""
    from app.services.states import is_stale

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
        "proposed": entities_json(found.proposed),
    }


def state(
    what: Annotated[
        str | None, typer.Argument(metavar="NAME", help="An identifier, a name, an alias or an id.")
    ] = None,
    as_of: Annotated[
        datetime | None,
        typer.Option(parser=parse_moment, metavar="MOMENT", help=f"What holds at this moment. {MOMENT_HELP}"),
    ] = None,
    known_at: Annotated[
        datetime | None,
        typer.Option(parser=parse_moment, metavar="MOMENT", help="Answer from what was recorded until then."),
    ] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Show every state, the first hundred, instead of one moment's.")
    ] = False,
    drafts: Annotated[
        bool,
        typer.Option(
            "--drafts",
            help="List every draft, the first hundred, the longest untouched first, and what is proposed.",
        ),
    ] = False,
    project: Annotated[str | None, typer.Option(help="Look into this project only.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what is true of a thing, since when, what made it so and what was said of it; its draft too."""
    if drafts:
        if what is not None or history or as_of is not None or known_at is not None:
            raise typer.BadParameter("--drafts lists the drafts of now; give it --project alone")
        run_async(_drafts(project, as_json=as_json))
        return
    if what is None:
        raise typer.BadParameter("name the thing to show; --drafts lists all drafts")
    if history and as_of is not None:
        raise typer.BadParameter("--history shows all moments; leave out --as-of, or move --known-at")
    run_async(_state(what, project, as_of, known_at, history=history, as_json=as_json))


def list_entities(
    flag: Annotated[
        list[StateFlag] | None,
        typer.Option(case_sensitive=False, help="Those whose status makes them this alone; may be repeated."),
    ] = None,
    status: Annotated[
        str | None, typer.Option(help="Those of this status alone, such as accepted, in any case.")
    ] = None,
    type_name: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="Those of this type alone, such as ADR.")
    ] = None,
    as_of: Annotated[
        datetime | None,
        typer.Option(parser=parse_moment, metavar="MOMENT", help=f"Those of this moment. {MOMENT_HELP}"),
    ] = None,
    project: Annotated[str | None, typer.Option(help="Those of this project alone.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List what there is with its status and since when, the newest first; a hundred at most."""
    from app.services.catalog import WantedStanding

    standing = WantedStanding(tuple(flag or ()), status)
    run_async(_list_entities(project, standing, type_name, as_of, as_json=as_json))


async def _list_entities(
    project: str | None,
    standing: WantedStanding,
    type_name: str | None,
    as_of: datetime | None,
    *,
    as_json: bool,
) -> None:
    from app.cli.output import console, print_json
    from app.services.container import open_memory

    async with open_memory(settings()) as memory:
        found = await load_entities_by_standing(memory, project, standing, type_name, as_of)
    if as_json:
        print_json(entities_json(found))
    elif found.count:
        print_entities(console(), found)
    else:
        console().print("nothing")


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
            listing = await load_history(memory, what, project, known_at)
        else:
            listing = await load_moment(memory, what, project, as_of, known_at)
    if as_json:
        print_json(states_json(listing))
    else:
        print_states(console(), listing)
