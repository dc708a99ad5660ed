"""`trigraph references`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from app.cli.moment import HELP, read_moment
from app.cli.running import finish, settings


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
        finish(_held(what, project, as_of, first, as_json=as_json))


async def _held(
    what: str | None, project: str | None, as_of: datetime | None, first: int, *, as_json: bool
) -> None:
    from app.cli.printing import console, print_json
    from app.cli.references_told import load_held, print_references, references_json
    from app.domain.page import PageRequest
    from app.services.memory import open_memory

    page = PageRequest(first)
    async with open_memory(settings()) as memory:
        found = await load_held(memory, what, project, as_of, page)
    if as_json:
        print_json(references_json(found))
    else:
        print_references(console(), found, "no references")


async def _pending(what: str | None, project: str | None, first: int, *, as_json: bool) -> None:
    from app.cli.printing import console, print_json
    from app.cli.references_told import load_pending, pending_json, print_references
    from app.domain.page import PageRequest
    from app.services.memory import open_memory

    page = PageRequest(first)
    async with open_memory(settings()) as memory:
        found = await load_pending(memory, what, project, page)
    if as_json:
        print_json(pending_json(found))
    else:
        print_references(console(), found, "nothing waits for what is not there yet")
