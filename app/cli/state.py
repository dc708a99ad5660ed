"""`trigraph state`: show the states of an entity, or list the open drafts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from rich.console import Console

from app.cli.layout import RowPart, name_parts, paged, print_row, print_text
from app.cli.list_entities import EntityListing, entities_json, load_entities, print_entities
from app.cli.output import day_text, moment_text, printable, properties_text, start_text, styled_text
from app.cli.runner import MOMENT_HELP, ShowIds, parse_moment, run_async, settings
from app.domain.artifact import Artifact
from app.domain.entity import Absence, AliasResolution
from app.domain.page import MAX_ITEMS, PageRequest
from app.domain.recall import StateFlag
from app.domain.temporal import (
    EVERYTHING_KNOWN,
    AsOf,
    Branch,
    EntityState,
    StateEvent,
    is_unknown,
    known_moment,
)
from app.errors import NotFound

if TYPE_CHECKING:
    from app.services.catalog import EntityNames
    from app.services.container import Memory
    from app.services.states import Timeline

_BRANCHES = {Branch.COMMITTED: "state", Branch.WIP: "draft"}
_EVENTS = {
    "created": "first recorded",
    "status_transition": "status changed",
    "rename": "renamed",
    "revision": "revised",
    "fact": "stated",
    "correction": "corrected",
}


@dataclass(frozen=True, slots=True)
class StateListing:
    """Some states of an entity, and the aliases that led to it; none led there if its own name or id did."""

    timeline: Timeline
    aliases: tuple[str, ...]

    @property
    def label(self) -> str:
        """What the entity is called now."""
        return self.timeline.names.names[self.timeline.entity.id].label


async def load_history(
    memory: Memory, what: str, project: str | None, known_at: datetime | None
) -> StateListing:
    """Load the first hundred states of an entity.

    Raises NotFound when no entity has the name, or nothing was known of it then.
    """
    from app.cli.entity_lookup import find_at_any_time

    named = await find_at_any_time(memory, what, project)
    return _listing(named, await memory.states.history(memory.caller, named.entity, known_at))


async def load_moment(
    memory: Memory, what: str, project: str | None, as_of: datetime | None, known_at: datetime | None
) -> StateListing:
    """Load the state of an entity at a moment, and its draft; raises NotFound as `load_history` does."""
    from app.cli.entity_lookup import USE_AS_OF, absence_text, find_named

    named = await find_named(memory, what, project, as_of)
    listing = _listing(named, await memory.states.at(memory.caller, named.entity, as_of, known_at))
    for absence in listing.timeline.absences:  # an id or an alias means it still
        raise NotFound(f"{printable(what)} {absence_text(absence)}; {USE_AS_OF}")
    return listing


def _listing(named: AliasResolution, timeline: Timeline) -> StateListing:
    listing = StateListing(timeline, tuple(alias.surface_form for alias in named.chain))
    if timeline.states:
        return listing
    raise NotFound(
        f"nothing was known of {named.entity.type_name} {printable(listing.label)} at that moment; use"
        " --history to see all its states"
    )


def print_states(console: Console, listing: StateListing, *, shows_ids: bool = False) -> None:
    """Print the entity, then each state: since when, its event, its description and its properties."""
    print_text(console, _heading(listing, shows_ids=shows_ids), "bold", hang=4)
    timeline = listing.timeline
    for word, of_word in (
        ("superseded", timeline.superseded),
        ("superseded in part", timeline.superseded_in_part),
    ):
        for superseded in of_word:
            since = "" if is_unknown(superseded.since) else f" since {moment_text(superseded.since)}"
            text = f"{word} by {superseded.called}{since}"
            print_text(console, printable(text), "yellow", hang=4)
    for held, event in listing.timeline.states:
        until = "" if held.valid.end is None else f" until {start_text(held.valid.end)}"
        line = styled_text(
            f"{_BRANCHES[held.branch].ljust(5)}  {start_text(held.valid.start)}{until}", style="bold"
        )
        line.append(f"  {_event_text(event, listing.timeline.causes)}", style="blue")
        print_text(console, line, hang=7)
        if event is not None and event.description is not None:
            print_text(console, printable(event.description), "italic", indent=4)
        print_text(console, properties_text(held.props), indent=4)
    for absence in listing.timeline.absences:
        _print_absence(console, absence)


def _print_absence(console: Console, absence: Absence) -> None:
    from app.cli.entity_lookup import absence_reason

    word, until = (
        ("ended", "") if absence.valid.end is None else ("away", f" until {moment_text(absence.valid.end)}")
    )
    line = styled_text(f"{word.ljust(5)}  {start_text(absence.valid.start)}{until}", style="bold")
    line.append(f"  {absence_reason(absence)}", style="blue")
    print_text(console, line, hang=7)


def _heading(listing: StateListing, *, shows_ids: bool) -> str:
    """Return the entity and the aliases that led to it: `ADR-1 Queue in harbor, by the alias Mole`."""
    by = "" if not listing.aliases else f", by the alias {', then '.join(listing.aliases)}"
    entity = listing.timeline.entity
    names = listing.timeline.names
    identifier, _, _ = names.parts(entity.id)
    id = f" ({entity.id})" if shows_ids else ""
    return printable(f"{identifier} {listing.label}{id} in {names.project(entity.id).key}{by}")


def _event_text(event: StateEvent | None, causes: Mapping[UUID, Artifact]) -> str:
    """Return the event of a state: `superseded, from ADR-13 at commit 1a2b3c (recorded by ada)`."""
    if event is None:
        return ""
    happened = _EVENTS.get(event.event_type, event.event_type.replace("_", " "))
    commit = "" if event.cause_commit is None else f" at commit {event.cause_commit[:12]}"
    cause = None if event.cause_artifact is None else causes.get(event.cause_artifact)
    because = "" if cause is None else f", from {cause.identifier or cause.title}"
    return printable(f"{happened}{because}{commit} (recorded by {event.actor})")


def states_json(listing: StateListing) -> dict[str, Any]:
    """Return an entity and its states as a JSON object with the names of the API."""
    from app.cli.api_json import absence_json, entity_json, event_json, state_json

    timeline = listing.timeline
    superseded, in_part = (
        [{"id": each.by, "label": each.called, "since": known_moment(each.since)} for each in of_kind]
        for of_kind in (timeline.superseded, timeline.superseded_in_part)
    )
    return {
        "entity": entity_json(timeline.entity.id, timeline.names),
        "aliases": listing.aliases,
        "supersededBy": superseded[-1] if superseded else None,
        "successors": superseded,
        "successorsInPart": in_part,
        "absences": [absence_json(each) for each in timeline.absences],
        "states": [
            {**state_json(held), "previous": None if event is None else event_json(event, timeline.causes)}
            for held, event in timeline.states
        ],
    }


@dataclass(frozen=True, slots=True)
class OpenDrafts:
    """The first of the open drafts, their total count, their entities, the present, and the proposals.

    `proposed` are the first of the entities whose status makes them work in progress.
    """

    listed: tuple[EntityState, ...]
    count: int
    entities: EntityNames
    now: datetime
    proposed: EntityListing


async def load_drafts(memory: Memory, project: str | None) -> OpenDrafts:
    """Load the first hundred drafts and proposals of a project or of all.

    Raises NotFound for an unknown project.
    """
    from app.services.catalog import WantedStanding

    listing = await memory.states.drafts(memory.caller, project, PageRequest(MAX_ITEMS))
    now = await memory.catalog.read_present(memory.caller)
    moment = AsOf(now, EVERYTHING_KNOWN)
    names = await memory.catalog.names(memory.caller, {draft.entity for draft in listing.page.items}, moment)
    proposed = await load_entities(memory, project, WantedStanding((StateFlag.WIP,)))
    return OpenDrafts(listing.page.items, await listing.count(), names, now, proposed)


def print_drafts(console: Console, found: OpenDrafts, *, shows_ids: bool = False) -> None:
    """Print each draft: its entity, when and by whom it was last saved, and its properties.

    The proposals follow.
    """
    from app.services.states import is_stale

    for draft in found.listed:
        stale = "; seal it or discard it" if is_stale(draft, found.now) else ""
        saved = RowPart(f"saved {day_text(draft.recorded_at)} by {draft.actor}{stale}", "dim")
        id = draft.id if shows_ids else None
        print_row(console, *name_parts(found.entities, draft.entity), saved, id=id)
        print_text(console, properties_text(draft.props), "dim", indent=4)
    if more := found.count - len(found.listed):
        console.print(f"{more} more drafts")
    if not found.count:
        console.print("no drafts")
    if found.proposed.count:
        console.print(styled_text("proposed", style="bold"))
        print_entities(console, found.proposed, shows_ids=shows_ids)


def drafts_json(found: OpenDrafts) -> dict[str, Any]:
    """Return the drafts as a JSON object with the names of the API."""
    from app.cli.api_json import entity_json, state_json
    from app.services.states import is_stale

    return {
        "drafts": [
            {
                **state_json(draft),
                "entity": entity_json(draft.entity, found.entities),
                "touchedAt": draft.recorded_at,
                "isStale": is_stale(draft, found.now),
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
        typer.Option(
            parser=parse_moment, metavar="MOMENT", help=f"Show the state at this moment. {MOMENT_HELP}"
        ),
    ] = None,
    known_at: Annotated[
        datetime | None,
        typer.Option(
            parser=parse_moment, metavar="MOMENT", help="Use only what was recorded by this moment."
        ),
    ] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Show the timeline: every state, up to 100.")
    ] = False,
    drafts: Annotated[
        bool,
        typer.Option(
            "--drafts",
            help="List the open drafts, up to 100, the one saved longest ago first; then the proposals.",
        ),
    ] = False,
    project: Annotated[str | None, typer.Option(help="Search only this project.")] = None,
    ids: ShowIds = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Show the state of a document or entity, or a timeline.

    The open draft of the entity is shown too, if there is one.
    """
    if drafts:
        if what is not None or history or as_of is not None or known_at is not None:
            raise typer.BadParameter("--drafts lists the open drafts of now; combine it only with --project")
        run_async(_drafts(project, ids=ids, as_json=as_json))
        return
    if what is None:
        raise typer.BadParameter("give the name of a document or entity; --drafts lists all drafts")
    if history and as_of is not None:
        raise typer.BadParameter("--history shows all moments; leave out --as-of, or use --known-at instead")
    run_async(_state(what, project, as_of, known_at, history=history, ids=ids, as_json=as_json))


async def _drafts(project: str | None, *, ids: bool, as_json: bool) -> None:
    from app.cli.output import console, print_json
    from app.services.container import open_memory

    async with open_memory(settings()) as memory:
        found = await load_drafts(memory, project)
    if as_json:
        print_json(drafts_json(found))
    else:
        screen = console()
        with paged(screen):
            print_drafts(screen, found, shows_ids=ids)


async def _state(
    what: str,
    project: str | None,
    as_of: datetime | None,
    known_at: datetime | None,
    *,
    history: bool,
    ids: bool,
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
        screen = console()
        with paged(screen):
            print_states(screen, listing, shows_ids=ids)
