"""References that hold and that wait, as lines that people read and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rich.console import Console

from app.cli.entities_told import ToldEntities, load_entities
from app.cli.named import find_named
from app.cli.printing import moment_text, printable
from app.cli.screen import styled
from app.domain.entity import Reference
from app.domain.moment import EVERYTHING_KNOWN
from app.domain.page import PageRequest
from app.domain.waiting import WaitingReference
from app.services.catalog import CatalogService, Edges
from app.services.memory import Memory


@dataclass(frozen=True, slots=True)
class HeldReferences:
    """The first of the references that hold, how many do in all, and what they join."""

    listed: tuple[Reference, ...]
    count: int
    ends: ToldEntities


@dataclass(frozen=True, slots=True)
class PendingReferences:
    """The first of the references that wait, how many do in all, and whose they are."""

    listed: tuple[WaitingReference, ...]
    count: int
    ends: ToldEntities


async def load_held(
    memory: Memory, what: str | None, project: str | None, as_of: datetime | None, page: PageRequest
) -> HeldReferences:
    """Answer the references of a project or of all, or those of a thing: from it, then to it.

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
    """Answer the references that wait, of a project, of all or of one document; raises as the others do."""
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
            told = _held(reference, found.ends)
        else:
            told = _waiting(reference, found.ends)
        console.print(styled(f"{reference.id}  {printable(told)}"), soft_wrap=True)
    if more := found.count - len(found.listed):
        console.print(f"{more} more; --first lists up to 100")
    if not found.count:
        console.print(nothing)


def _held(reference: Reference, ends: ToldEntities) -> str:
    until = "" if reference.valid.end is None else f" until {moment_text(reference.valid.end)}"
    said = f"{ends.told(reference.source)} {reference.type} {ends.told(reference.target)}"
    return f"{said} since {moment_text(reference.valid.start)}{until}"


def _waiting(waiting: WaitingReference, ends: ToldEntities) -> str:
    ways = (ends.told(waiting.source), waiting.waits_for)
    source, target = reversed(ways) if waiting.is_inverted else ways
    several = ", which could be several" if waiting.is_ambiguous else ""
    return f"{source} {waiting.type} {target}{several}, waits since {moment_text(waiting.recorded_at)}"


def references_json(found: HeldReferences) -> dict[str, Any]:
    """Answer the references with the names that the API gives them."""
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
    """Answer the references that wait with the names that the API gives them."""
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
