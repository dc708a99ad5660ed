"""`trigraph neo4j`: the graph store, installed, started, stopped and looked into."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.output import counted, error_console, print_json, printable, say
from app.cli.runner import FAILED, fail, finish, settings
from app.errors import Invalid, TrigraphError
from app.settings import EMBEDDED, Settings
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.embedded import control
from app.stores.neo4j.location import GraphLocation, locate_graph

_COUNT = "RETURN COUNT { () } AS nodes, COUNT { ()-->() } AS relationships"


@dataclass(frozen=True, slots=True)
class Status:
    """What is seen of Neo4j; a line for people each, and what can be measured when it answers."""

    lines: tuple[str, ...]
    answers: bool = False
    uri: str | None = None
    version: str | None = None
    nodes: int | None = None
    relationships: int | None = None


async def look_at(settings: Settings) -> Status:
    """Look at the Neo4j of the settings, or at the embedded one of the home when they name none."""
    if settings.neo4j_uri not in (None, EMBEDDED):
        location = await locate_graph(settings)
        assert location is not None
        return await _answering(location, ())
    seen = await asyncio.to_thread(control.look, settings.home)
    lines = _embedded_lines(settings, seen)
    if seen.location is None:
        state = "stopped" if seen.is_installed else "not installed; `trigraph neo4j install` fetches it"
        return Status((f"the embedded Neo4j is {state}", *lines))
    return await _answering(seen.location, lines)


def print_status(status: Status, *, as_json: bool) -> None:
    """Write what was seen, in lines or as one JSON object."""
    if as_json:
        told = asdict(status)
        del told["lines"]
        print_json(told)
        return
    for line in status.lines:
        say(printable(line))


async def _answering(location: GraphLocation, lines: tuple[str, ...]) -> Status:
    try:
        async with Graph(location) as graph:
            version = await graph.version()
            (sizes,) = await graph.read(_COUNT)
    except TrigraphError as error:
        return Status((error.message, *lines), uri=location.uri)
    nodes, relationships = int(sizes["nodes"]), int(sizes["relationships"])
    told = (
        f"Neo4j {version} answers at {location.uri}",
        f"{counted(nodes, 'node')}, {counted(relationships, 'relationship')}",
    )
    return Status((*told, *lines), True, location.uri, version, nodes, relationships)


def _embedded_lines(settings: Settings, seen: control.ServerStatus) -> tuple[str, ...]:
    lines = []
    if settings.neo4j_uri is None:
        lines.append(
            "TRIGRAPH_NEO4J_URI is not set, so nothing is projected; set it to embedded to use this one"
        )
    if seen.is_kept:
        lines.append("it stays up until `trigraph neo4j stop`")
    elif seen.location is not None:
        used = "it is in use; it stops by itself soon after the last command that uses it ends"
        lines.append(used if seen.is_used else "no command uses it, so it stops by itself soon")
    return tuple(lines)


if TYPE_CHECKING:
    from app.stores.neo4j.driver import Graph

neo4j = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@neo4j.callback()
def _about() -> None:
    """Look into the graph in Neo4j, and attend to the embedded one: no Java and no Docker needed."""


@neo4j.command()
def install() -> None:
    """Fetch Neo4j Community for the embedded server, once for all homes; afterwards no network is needed."""
    from app.stores.neo4j.embedded.jars import VERSION, jars_folder

    try:
        fetched = _fetch_with_a_bar()
    except TrigraphError as error:
        fail(error)
    said = f"fetched {fetched} files" if fetched else "there was nothing to fetch"
    say(f"Neo4j {VERSION} lies in {jars_folder()}: {said}")


@neo4j.command()
def start() -> None:
    """Start the embedded server and keep it up, used or not, until `trigraph neo4j stop`."""
    from app.stores.neo4j.embedded.control import layout_of, start_and_keep
    from app.stores.neo4j.embedded.jars import VERSION

    home = _embedded_settings().home
    try:
        _ensure_installed()
        location = start_and_keep(home)
    except TrigraphError as error:
        fail(error)
    say(f"Neo4j {VERSION} answers at {location.uri}")
    say(f"sign in as {location.user} with the password in {layout_of(home).password}")


@neo4j.command()
def stop() -> None:
    """Stop the embedded server; one that another process uses stops after that process ends."""
    from app.stores.neo4j.embedded import control

    try:
        was_running = control.stop(_embedded_settings().home)
    except TrigraphError as error:
        fail(error)
    say("Neo4j has stopped" if was_running else "Neo4j was not running")


@neo4j.command()
def status(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Return whether Neo4j runs, where, and how much is in it; fails when it does not answer."""

    told = finish(look_at(settings()))
    print_status(told, as_json=as_json)
    if not told.answers:
        raise typer.Exit(FAILED)


@neo4j.command()
def shell(
    query: Annotated[
        str | None, typer.Option("--command", "-c", help="Answer this Cypher and leave; ; divides queries.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a query; not at the prompt.")
    ] = False,
) -> None:
    """Ask the graph in Cypher, at a prompt or, with -c or a pipe, in a script.

    Nothing can be written: the graph is a projection of the ledger, which is written by filing.
    """
    if query is not None or not sys.stdin.isatty():
        finish(_run_script(sys.stdin.read() if query is None else query, as_json=as_json))
    elif as_json:
        raise typer.BadParameter("a prompt answers in tables; use --json with -c or a pipe")
    else:
        _converse()


async def _run_script(text: str, *, as_json: bool) -> None:
    from app.cli.neo4j_shell import run_script
    from app.cli.output import console

    async with _opened(settings()) as graph:
        await run_script(graph, text, console(), as_json=as_json)


def _converse() -> None:
    from app.cli.neo4j_shell import converse
    from app.cli.output import console

    chosen = settings()
    opening = _opened(chosen)
    try:
        with asyncio.Runner() as runner:
            graph = runner.run(opening.__aenter__())
            try:
                converse(runner, graph, console(), chosen.home.expanduser() / "neo4j.history")
            finally:
                runner.run(opening.__aexit__(None, None, None))
    except TrigraphError as error:
        fail(error)


@asynccontextmanager
async def _opened(chosen: Settings) -> AsyncIterator[Graph]:
    """Open the graph of the settings; the embedded one, which is then started, when they name none."""
    from app.stores.neo4j.driver import Graph
    from app.stores.neo4j.location import locate_graph

    named = chosen.model_copy(update={"neo4j_uri": chosen.neo4j_uri or EMBEDDED})
    if named.neo4j_uri == EMBEDDED:
        _ensure_installed()
    location = await locate_graph(named)
    assert location is not None
    try:
        async with Graph(location) as graph:
            yield graph
    finally:
        await location.close()


def _embedded_settings() -> Settings:
    """Return the settings, unless they name a server, which is started and stopped where it runs."""
    chosen = settings()
    if chosen.neo4j_uri not in (None, EMBEDDED):
        fail(
            Invalid(
                f"TRIGRAPH_NEO4J_URI names the server {chosen.neo4j_uri}; start and stop it where it runs, or"
                f" set the variable to {EMBEDDED}"
            )
        )
    return chosen


def _ensure_installed() -> None:
    from app.stores.neo4j.embedded.jars import is_installed

    if not is_installed():
        _fetch_with_a_bar()


def _fetch_with_a_bar() -> int:
    """Fetch the jars that are missing, with a bar for people who watch; answer how many those were."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from app.stores.neo4j.embedded.jars import MEGABYTES, VERSION, install_jars

    screen = error_console()
    said = f"fetching Neo4j {VERSION}, up to {MEGABYTES} MB"
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    progress = Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal)
    task = progress.add_task(said)

    def watch(done: int, total: int) -> None:
        if done == 0:
            progress.start()
            if not screen.is_terminal:
                say(said, is_result=False)
        progress.update(task, completed=done, total=total)

    try:
        return install_jars(watch)
    finally:
        progress.stop()
