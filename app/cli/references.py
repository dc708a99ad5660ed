"""`trigraph references`: list the references that hold, or the pending ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from app.cli.layout import RowPart, Yields, name_parts, paged, print_row
from app.cli.output import day_text, start_text
from app.cli.runner import MOMENT_HELP, ShowIds, parse_moment, run_async, settings
from app.domain.entity import PendingReference, Reference
from app.domain.page import PageRequest
from app.domain.temporal import EVERYTHING_KNOWN, AsOf

if TYPE_CHECKING:
    from app.services.catalog import EntityNames
    from app.services.container import Memory


@dataclass(frozen=True, slots=True)
class CurrentReferences:
    """The first of the references that hold, their total count, and the entities they join."""

    listed: tuple[Reference, ...]
    count: int
    ends: EntityNames


@dataclass(frozen=True, slots=True)
class PendingReferences:
    """The first of the pending references, their total count, and their source entities."""

    listed: tuple[PendingReference, ...]
    count: int
    ends: EntityNames


async def load_references(
    memory: Memory, what: str | None, project: str | None, as_of: datetime | None, page: PageRequest
) -> CurrentReferences:
    """Load the references of a project or of all projects, or those from and to one entity.

    Raises NotFound for an unknown project or name.
    """
    from app.cli.entity_lookup import find_named
    from app.services.catalog import Edges, RequestedMoment

    wanted = [Edges()]
    if what is not None:
        thing = (await find_named(memory, what, project, as_of)).entity.id
        wanted, project = [Edges(source=thing), Edges(target=thing)], None
    asked = RequestedMoment(as_of)
    found = [await memory.catalog.references(memory.caller, project, each, asked, page) for each in wanted]
    listed = tuple(reference for listing in found for reference in listing.page.items)
    ends = {end for reference in listed for end in (reference.source, reference.target)}
    count = sum([await listing.count() for listing in found])
    moment = None if as_of is None else AsOf(as_of, EVERYTHING_KNOWN)
    return CurrentReferences(listed, count, await memory.catalog.names(memory.caller, ends, moment))


async def load_pending(
    memory: Memory, what: str | None, project: str | None, page: PageRequest
) -> PendingReferences:
    """Load the pending references of a project, of all projects or of one document; raises as above."""
    from app.cli.entity_lookup import find_named
    from app.services.catalog import RequestedMoment

    if what is None:
        asked = RequestedMoment()
        listing = await memory.catalog.pending_references(memory.caller, project, asked, page)
        listed, count = listing.page.items, await listing.count()
    else:
        document = (await find_named(memory, what, project, None)).entity.id
        every = await memory.catalog.pending_of(memory.caller, document, EVERYTHING_KNOWN)
        listed, count = tuple(every[: page.size]), len(every)
    ends = await memory.catalog.names(memory.caller, {each.source for each in listed})
    return PendingReferences(listed, count, ends)


def print_references(
    console: Console,
    found: CurrentReferences | PendingReferences,
    nothing: str,
    *,
    shows_ids: bool = False,
) -> None:
    """Print each reference on a line: source, type and target, and since which day it holds or is pending."""
    for reference in found.listed:
        if isinstance(reference, Reference):
            cells = _reference_parts(reference, found.ends)
        else:
            cells = _pending_parts(reference, found.ends)
        print_row(console, *cells, id=reference.id if shows_ids else None)
    if more := found.count - len(found.listed):
        console.print(f"{more} more; --first lists up to 100")
    if not found.count:
        console.print(nothing)


def _reference_parts(reference: Reference, ends: EntityNames) -> list[RowPart]:
    until = "" if reference.valid.end is None else f" until {start_text(reference.valid.end, day_text)}"
    source, target = name_parts(ends, reference.source), name_parts(ends, reference.target)
    since = RowPart(f"{start_text(reference.valid.start, day_text)}{until}", "dim")
    return [*source, *_type_parts(reference), *target, since]


def _pending_parts(pending: PendingReference, ends: EntityNames) -> list[RowPart]:
    missing = [RowPart(pending.waits_for, "bold", Yields.LAST)]
    if pending.is_ambiguous:
        missing.append(RowPart("(ambiguous)", gap=1))
    ways = (name_parts(ends, pending.source), missing)
    source, target = reversed(ways) if pending.is_inverted else ways
    since = RowPart(f"unresolved since {day_text(pending.recorded_at)}", "dim")
    return [*source, *_type_parts(pending), *target, since]


def _type_parts(reference: Reference | PendingReference) -> list[RowPart]:
    in_part = [RowPart("in part", "blue", gap=1)] if reference.in_part else []
    return [RowPart(reference.type, "blue"), *in_part]


def references_json(found: CurrentReferences) -> dict[str, Any]:
    """Return the references as a JSON object with the names of the API."""
    from app.cli.api_json import reference_json

    listed = [reference_json(reference, found.ends) for reference in found.listed]
    return {"references": listed, "count": found.count}


def pending_json(found: PendingReferences) -> dict[str, Any]:
    """Return the pending references as a JSON object with the names of the API."""
    from app.cli.api_json import pending_reference_json

    listed = [pending_reference_json(pending, found.ends) for pending in found.listed]
    return {"pendingReferences": listed, "count": found.count}


def references(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Only references from or to this document or entity: an identifier, a name, an"
            " alias or an id.",
        ),
    ] = None,
    pending: Annotated[
        bool,
        typer.Option("--pending", help="List unresolved references, oldest first."),
    ] = False,
    as_of: Annotated[
        datetime | None,
        typer.Option(
            parser=parse_moment, metavar="MOMENT", help=f"Only references valid at this moment. {MOMENT_HELP}"
        ),
    ] = None,
    project: Annotated[str | None, typer.Option(help="Search only this project.")] = None,
    first: Annotated[
        int, typer.Option(help="The maximum number of references in each direction, up to 100.")
    ] = 20,
    ids: ShowIds = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """List references between documents and entities."""
    if pending and as_of is not None:
        raise typer.BadParameter("--pending lists what is unresolved now; leave out --as-of")
    if pending:
        run_async(_pending(what, project, first, ids=ids, as_json=as_json))
    else:
        run_async(_show_references(what, project, as_of, first, ids=ids, as_json=as_json))


async def _show_references(
    what: str | None, project: str | None, as_of: datetime | None, first: int, *, ids: bool, as_json: bool
) -> None:
    from app.cli.output import print_json
    from app.services.container import open_memory

    page = PageRequest(first)
    async with open_memory(settings()) as memory:
        found = await load_references(memory, what, project, as_of, page)
    if as_json:
        print_json(references_json(found))
    else:
        _print_paged(found, "no references", ids=ids)


async def _pending(what: str | None, project: str | None, first: int, *, ids: bool, as_json: bool) -> None:
    from app.cli.output import print_json
    from app.services.container import open_memory

    page = PageRequest(first)
    async with open_memory(settings()) as memory:
        found = await load_pending(memory, what, project, page)
    if as_json:
        print_json(pending_json(found))
    else:
        _print_paged(found, "no unresolved references", ids=ids)


def _print_paged(found: CurrentReferences | PendingReferences, nothing: str, *, ids: bool) -> None:
    from app.cli.output import console

    screen = console()
    with paged(screen):
        print_references(screen, found, nothing, shows_ids=ids)
