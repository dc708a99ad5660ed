"""`trigraph list`: list entities by flag, status and type, with their status at a moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from rich.console import Console

from app.cli.layout import RowPart, name_parts, paged, print_row, print_text
from app.cli.output import day_text, printable
from app.cli.runner import MOMENT_HELP, ShowIds, parse_moment, run_async, settings
from app.domain.entity import Entity
from app.domain.page import MAX_ITEMS, PageRequest
from app.domain.recall import StateFlag
from app.domain.temporal import EVERYTHING_KNOWN, AsOf, EntityState, is_unknown, known_moment

if TYPE_CHECKING:
    from app.services.catalog import EntityNames, WantedStanding
    from app.services.container import Memory


@dataclass(frozen=True, slots=True)
class EntityListing:
    """The first of some entities with their committed states, their total count, and their names."""

    listed: tuple[tuple[UUID, EntityState | None], ...]
    count: int
    entities: EntityNames


def _by_day(entity: Entity) -> tuple[int, int, str]:
    """Return the place of an entity in a list: the newest day first, and by identifier within a day."""
    key = entity.key or ""
    return -entity.created_at.astimezone(UTC).toordinal(), len(key), key


async def load_entities(
    memory: Memory,
    project: str | None,
    standing: WantedStanding,
    type_name: str | None = None,
    as_of: datetime | None = None,
) -> EntityListing:
    """Load the first hundred entities of a standing at a moment, the newest first.

    Raises NotFound for an unknown project, and Invalid for an unknown type.
    """
    from app.services.catalog import RequestedMoment

    page, asked = PageRequest(MAX_ITEMS), RequestedMoment(as_of)
    listing = await memory.catalog.entities(memory.caller, project, type_name, asked, page, standing)
    ids = [entity.id for entity in sorted(listing.page.items, key=_by_day)]
    held = await memory.states.committed(memory.caller, ids, as_of)
    moment = None if as_of is None else AsOf(as_of, EVERYTHING_KNOWN)
    names = await memory.catalog.names(memory.caller, ids, moment)
    return EntityListing(tuple((id, held.get(id)) for id in ids), await listing.count(), names)


def print_entities(console: Console, found: EntityListing, *, shows_ids: bool = False) -> None:
    """Print each entity on a line: its name, its status and since which day."""
    for id, held in found.listed:
        cells = name_parts(found.entities, id)
        if held is not None:
            status = str(held.props.get("status") or "no status")
            cells.append(RowPart(status))
            if not is_unknown(held.valid.start):
                cells.append(RowPart(f"since {day_text(held.valid.start)}", "dim", gap=1))
        print_row(console, *cells, id=id if shows_ids else None)
    if more := found.count - len(found.listed):
        console.print(f"{more} more")


def entities_json(found: EntityListing) -> dict[str, Any]:
    """Return entities with their status as a JSON object with the names of the API."""
    from app.cli.api_json import entity_json

    return {
        "entities": [
            {
                **entity_json(id, found.entities),
                "status": None if held is None else held.props.get("status"),
                "validFrom": None if held is None else known_moment(held.valid.start),
            }
            for id, held in found.listed
        ],
        "count": found.count,
    }


def list_entities(
    flag: Annotated[
        list[StateFlag] | None,
        typer.Option(
            case_sensitive=False, help="Only entities whose status gives this flag; you may repeat it."
        ),
    ] = None,
    status: Annotated[
        str | None, typer.Option(help="Only entities with this status, such as accepted; case is ignored.")
    ] = None,
    type_name: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="Only entities of this type, such as ADR.")
    ] = None,
    as_of: Annotated[
        datetime | None,
        typer.Option(
            parser=parse_moment, metavar="MOMENT", help=f"List the entities of this moment. {MOMENT_HELP}"
        ),
    ] = None,
    project: Annotated[str | None, typer.Option(help="Only entities of this project.")] = None,
    ids: ShowIds = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """List documents and entities with their status.

    The newest come first, up to 100.
    """
    from app.services.catalog import WantedStanding

    standing = WantedStanding(tuple(flag) if flag else None, status)
    run_async(_list(project, standing, type_name, as_of, ids=ids, as_json=as_json))


async def _known_statuses(memory: Memory, project: str | None, standing: WantedStanding) -> str:
    """Return which statuses there are, if one was asked for."""
    if standing.status is None:
        return ""
    words = await memory.canonical.statuses(memory.caller, project)
    named = ", ".join(dict.fromkeys(printable(each.word) for each in words))
    return f" with the status {printable(standing.status)}; the statuses are {named or 'none yet'}"


async def _list(
    project: str | None,
    standing: WantedStanding,
    type_name: str | None,
    as_of: datetime | None,
    *,
    ids: bool,
    as_json: bool,
) -> None:
    from app.cli.output import console, print_json
    from app.services.container import open_memory

    async with open_memory(settings()) as memory:
        found = await load_entities(memory, project, standing, type_name, as_of)
        known = "" if found.count else await _known_statuses(memory, project, standing)
    if as_json:
        print_json(entities_json(found))
    elif found.count:
        screen = console()
        with paged(screen):
            print_entities(screen, found, shows_ids=ids)
    else:
        print_text(console(), f"no entities{known}")
