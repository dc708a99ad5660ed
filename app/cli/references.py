"""`trigraph references`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.console import Console

from app.cli.entity_lookup import ToldEntities, find_named, load_entities
from app.cli.output import moment_text, printable, styled
from app.cli.runner import HELP, finish, read_moment, settings
from app.domain.entity import Reference
from app.domain.page import PageRequest
from app.domain.pending_reference import PendingReference
from app.domain.temporal import EVERYTHING_KNOWN
from app.services.catalog import CatalogService, Edges
from app.services.container import Memory


@dataclass(frozen=True, slots=True)
class HeldReferences:
    """The first of the references that hold, how many do in all, and what they join."""

    listed: tuple[Reference, ...]
    count: int
    ends: ToldEntities


@dataclass(frozen=True, slots=True)
class PendingReferences:
    """The first of the references that wait, how many do in all, and whose they are."""

    listed: tuple[PendingReference, ...]
    count: int
    ends: ToldEntities


async def load_held(
    memory: Memory, what: str | None, project: str | None, as_of: datetime | None, page: PageRequest
) -> HeldReferences:
    """Return the references of a project or of all, or those of a thing: from it, then to it.

    Raises NotFound for an unknown project, or when nothing goes by the name.
    """
    wanted = [Edges()]
    if what is not None:
        thing = (await find_named(memory, what, project, as_of)).entity.id
        wanted, project = [Edges(source=thing), Edges(target=thing)], None
    catalog = CatalogService(memory.database)
    found = [await catalog.references(memory.caller, project, each, as_of, page) for each in wanted]
    listed = tuple(reference for listing in found for reference in listing.page.items)
    ends = {end for reference in listed for end in (reference.source, reference.target)}
    count = sum([await listing.count() for listing in found])
    return HeldReferences(listed, count, await load_entities(memory, ends, as_of))


async def load_pending(
    memory: Memory, what: str | None, project: str | None, page: PageRequest
) -> PendingReferences:
    """Return the references that wait, of a project, of all or of one document; raises as the others do."""
    catalog = CatalogService(memory.database)
    if what is None:
        listing = await catalog.pending_references(memory.caller, project, page)
        listed, count = listing.page.items, await listing.count()
    else:
        document = (await find_named(memory, what, project, None)).entity.id
        every = await catalog.pending_of(memory.caller, document, EVERYTHING_KNOWN)
        listed, count = tuple(every[: page.first]), len(every)
    return PendingReferences(listed, count, await load_entities(memory, {each.source for each in listed}))


def print_references(console: Console, found: HeldReferences | PendingReferences, nothing: str) -> None:
    """Write each reference: its id, what refers to what and how, and since when it holds or waits."""
    for reference in found.listed:
        if isinstance(reference, Reference):
            told = _reference_line(reference, found.ends)
        else:
            told = _waiting(reference, found.ends)
        console.print(styled(f"{reference.id}  {printable(told)}"), soft_wrap=True)
    if more := found.count - len(found.listed):
        console.print(f"{more} more; --first lists up to 100")
    if not found.count:
        console.print(nothing)


def _reference_line(reference: Reference, ends: ToldEntities) -> str:
    until = "" if reference.valid.end is None else f" until {moment_text(reference.valid.end)}"
    said = f"{ends.told(reference.source)} {reference.type} {ends.told(reference.target)}"
    return f"{said} since {moment_text(reference.valid.start)}{until}"


def _waiting(waiting: PendingReference, ends: ToldEntities) -> str:
    ways = (ends.told(waiting.source), waiting.waits_for)
    source, target = reversed(ways) if waiting.is_inverted else ways
    several = ", which could be several" if waiting.is_ambiguous else ""
    return f"{source} {waiting.type} {target}{several}, waits since {moment_text(waiting.recorded_at)}"


def references_json(found: HeldReferences) -> dict[str, Any]:
    """Return the references with the names that the API gives them."""
    listed = [
        {
            "id": reference.id,
            "source": found.ends.object(reference.source),
            "type": reference.type,
            "target": found.ends.object(reference.target),
            "validFrom": reference.valid.start,
            "validUntil": reference.valid.end,
        }
        for reference in found.listed
    ]
    return {"references": listed, "count": found.count}


def pending_json(found: PendingReferences) -> dict[str, Any]:
    """Return the references that wait with the names that the API gives them."""
    listed = [
        {
            "id": waiting.id,
            "source": found.ends.object(waiting.source),
            "type": waiting.type,
            "waitsFor": waiting.waits_for,
            "isInverted": waiting.is_inverted,
            "isAmbiguous": waiting.is_ambiguous,
            "recordedAt": waiting.recorded_at,
        }
        for waiting in found.listed
    ]
    return {"pendingReferences": listed, "count": found.count}


def references(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="Only those of this thing: an identifier, a name, an alias or an id."
        ),
    ] = None,
    pending: Annotated[
        bool,
        typer.Option("--pending", help="List those that wait for what is not there yet, the longest first."),
    ] = False,
    as_of: Annotated[
        datetime | None,
        typer.Option(parser=read_moment, metavar="MOMENT", help=f"Those that hold at this moment. {HELP}"),
    ] = None,
    project: Annotated[str | None, typer.Option(help="Look into this project only.")] = None,
    first: Annotated[
        int, typer.Option(help="How many to list at most, up to 100, each way of a thing.")
    ] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List how documents and things refer to each other, the newest first."""
    if pending and as_of is not None:
        raise typer.BadParameter("--pending lists what waits now; leave out --as-of")
    if pending:
        finish(_pending(what, project, first, as_json=as_json))
    else:
        finish(_show_references(what, project, as_of, first, as_json=as_json))


async def _show_references(
    what: str | None, project: str | None, as_of: datetime | None, first: int, *, as_json: bool
) -> None:
    from app.cli.output import console, print_json
    from app.domain.page import PageRequest
    from app.services.container import open_memory

    page = PageRequest(first)
    async with open_memory(settings()) as memory:
        found = await load_held(memory, what, project, as_of, page)
    if as_json:
        print_json(references_json(found))
    else:
        print_references(console(), found, "no references")


async def _pending(what: str | None, project: str | None, first: int, *, as_json: bool) -> None:
    from app.cli.output import console, print_json
    from app.domain.page import PageRequest
    from app.services.container import open_memory

    page = PageRequest(first)
    async with open_memory(settings()) as memory:
        found = await load_pending(memory, what, project, page)
    if as_json:
        print_json(pending_json(found))
    else:
        print_references(console(), found, "nothing waits for what is not there yet")
