"""`trigraph state`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from app.cli.moment import HELP, read_moment
from app.cli.running import finish, settings


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
    from app.cli.drafts import drafts_json, load_drafts, print_drafts
    from app.cli.printing import console, print_json
    from app.services.memory import open_memory

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
    from app.cli.printing import console, print_json
    from app.cli.states_told import load_history, load_moment, print_states, states_json
    from app.services.memory import open_memory

    async with open_memory(settings()) as memory:
        if history:
            told = await load_history(memory, what, project, known_at)
        else:
            told = await load_moment(memory, what, project, as_of, known_at)
    if as_json:
        print_json(states_json(told))
    else:
        print_states(console(), told)
