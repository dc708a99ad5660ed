"""`trigraph neo4j`: install, start, stop and query Neo4j."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.layout import print_text
from app.cli.output import console, error_console, print_json, printable, redraws, say
from app.cli.runner import FAILED, fail, run_async, settings
from app.domain.text import pluralize
from app.errors import Invalid, TrigraphError
from app.settings import EMBEDDED, Settings

if TYPE_CHECKING:
    from app.stores.neo4j.driver import Graph
    from app.stores.neo4j.embedded.control import ServerStatus
    from app.stores.neo4j.location import GraphLocation

neo4j = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

_COUNT = "RETURN COUNT { () } AS nodes, COUNT { ()-->() } AS relationships"


@dataclass(frozen=True, slots=True)
class Status:
    """The status of Neo4j: lines for people, and the version and sizes when it answers."""

    lines: tuple[str, ...]
    answers: bool = False
    uri: str | None = None
    version: str | None = None
    nodes: int | None = None
    relationships: int | None = None


async def read_neo4j_status(settings: Settings) -> Status:
    """Return the status of the Neo4j in the settings, or of the embedded one when they name none."""
    from app.stores.neo4j.embedded import control
    from app.stores.neo4j.location import locate_graph

    if settings.neo4j_uri not in (None, EMBEDDED):
        location = await locate_graph(settings)
        assert location is not None
        return await _connected_status(location, ())
    server = await asyncio.to_thread(control.look, settings.home)
    lines = _embedded_lines(settings, server)
    if server.location is None:
        state = "stopped" if server.is_installed else "not installed; run `trigraph neo4j install`"
        return Status((f"the embedded Neo4j is {state}", *lines))
    return await _connected_status(server.location, lines)


def print_status(status: Status, *, as_json: bool) -> None:
    """Print a status as lines or as one JSON object."""
    if as_json:
        fields = asdict(status)
        del fields["lines"]
        print_json(fields)
        return
    screen = console()
    for line in status.lines:
        print_text(screen, printable(line), hang=4)


async def _connected_status(location: GraphLocation, lines: tuple[str, ...]) -> Status:
    from app.stores.neo4j.driver import Graph

    try:
        async with Graph(location) as graph:
            version = await graph.version()
            (sizes,) = await graph.read(_COUNT)
    except TrigraphError as error:
        return Status((error.message, *lines), uri=location.uri)
    nodes, relationships = int(sizes["nodes"]), int(sizes["relationships"])
    answer = (
        f"Neo4j {version} is running at {location.uri}",
        f"{pluralize(nodes, 'node')}, {pluralize(relationships, 'relationship')}",
    )
    return Status((*answer, *lines), True, location.uri, version, nodes, relationships)


def _embedded_lines(settings: Settings, server: ServerStatus) -> tuple[str, ...]:
    lines = []
    if settings.neo4j_uri is None:
        lines.append(
            "TRIGRAPH_NEO4J_URI is not set, so nothing is projected; set it to `embedded` to use this server"
        )
    if server.is_kept:
        lines.append("it runs until `trigraph neo4j stop`")
    elif server.location is not None:
        used = "it is in use; it stops soon after the last command that uses it ends"
        lines.append(used if server.is_used else "no command uses it; it stops soon")
    return tuple(lines)


@neo4j.callback()
def _about() -> None:
    """Manage the embedded Neo4j, and query the graph."""


@neo4j.command()
def install() -> None:
    """Download Neo4j Community for the embedded server.

    One download serves all homes. It needs neither Java nor Docker, and later no network.
    """
    from app.stores.neo4j.embedded.jars import VERSION, jars_folder

    try:
        fetched = _fetch_with_progress()
    except TrigraphError as error:
        fail(error)
    description = f"downloaded {fetched} files" if fetched else "nothing to download"
    say(f"Neo4j {VERSION} is installed in {jars_folder()}: {description}")


@neo4j.command()
def start() -> None:
    """Start the embedded server.

    It runs until `trigraph neo4j stop`, even if nothing uses it.
    """
    from app.stores.neo4j.embedded.control import layout_of, start_and_keep
    from app.stores.neo4j.embedded.jars import VERSION

    home = _embedded_settings().home
    try:
        _ensure_installed()
        location = start_and_keep(home)
    except TrigraphError as error:
        fail(error)
    say(f"Neo4j {VERSION} is running at {location.uri}")
    say(f"sign in as {location.user} with the password in {layout_of(home).password}")


@neo4j.command()
def stop() -> None:
    """Stop the embedded server.

    If another process uses it, it stops after that process ends.
    """
    from app.stores.neo4j.embedded import control

    try:
        was_running = control.stop(_embedded_settings().home)
    except TrigraphError as error:
        fail(error)
    say("Neo4j has stopped" if was_running else "Neo4j was not running")


@neo4j.command()
def status(
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Show the address and size of Neo4j; exit 1 if it is down."""
    found = run_async(read_neo4j_status(settings()))
    print_status(found, as_json=as_json)
    if not found.answers:
        raise typer.Exit(FAILED)


@neo4j.command()
def shell(
    query: Annotated[
        str | None,
        typer.Option("--command", "-c", help="Run these Cypher queries and exit; separate queries with ;"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object for each query; not at the prompt.")
    ] = False,
) -> None:
    """Query the graph in Cypher, at a prompt or in a script.

    The graph is read-only here: it is a projection of the ledger, and documents are filed into the ledger.
    """
    if query is not None or not sys.stdin.isatty():
        run_async(_run_script(sys.stdin.read() if query is None else query, as_json=as_json))
    elif as_json:
        raise typer.BadParameter("the prompt prints tables only; use --json with -c or with a pipe")
    else:
        _run_prompt()


async def _run_script(text: str, *, as_json: bool) -> None:
    from app.cli.neo4j_shell import run_script

    async with _open_graph(settings()) as graph:
        await run_script(graph, text, console(), as_json=as_json)


def _run_prompt() -> None:
    from app.cli.neo4j_shell import run_prompt

    chosen = settings()
    opening = _open_graph(chosen)
    try:
        with asyncio.Runner() as runner:
            graph = runner.run(opening.__aenter__())
            try:
                run_prompt(runner, graph, console(), chosen.home.expanduser() / "neo4j.history")
            finally:
                runner.run(opening.__aexit__(None, None, None))
    except TrigraphError as error:
        fail(error)


@asynccontextmanager
async def _open_graph(chosen: Settings) -> AsyncIterator[Graph]:
    """Yield the graph of the settings, or of the embedded server, started if needed, when they name none."""
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
    """Return the settings; fail when they name another server, which this command cannot start or stop."""
    chosen = settings()
    if chosen.neo4j_uri not in (None, EMBEDDED):
        fail(
            Invalid(
                f"TRIGRAPH_NEO4J_URI is set to the server {chosen.neo4j_uri}; start and stop"
                f" that server on its own machine, or set the variable to {EMBEDDED}"
            )
        )
    return chosen


def _ensure_installed() -> None:
    from app.stores.neo4j.embedded.jars import is_installed

    if not is_installed():
        _fetch_with_progress()


def _fetch_with_progress() -> int:
    """Fetch the missing jars with a progress bar; return how many were missing."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from app.stores.neo4j.embedded.jars import MEGABYTES, VERSION, install_jars

    screen = error_console()
    description = f"downloading Neo4j {VERSION}, up to {MEGABYTES} MB"
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    progress = Progress(*columns, console=screen, transient=True, disable=not redraws(screen))
    task = progress.add_task(description)

    def watch(done: int, total: int) -> None:
        if done == 0:
            progress.start()
            if not screen.is_terminal:
                say(description, is_result=False)
        progress.update(task, completed=done, total=total)

    try:
        return install_jars(watch)
    finally:
        progress.stop()
