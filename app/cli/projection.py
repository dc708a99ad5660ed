"""`trigraph project`: the graph in Neo4j, kept a copy of the ledger."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.output import error_console, print_json, printable, say
from app.cli.runner import FAILED, complain, finish, settings
from app.projector.verify import ComparedKind, Verification

_NAMED = 20


def print_verification(verification: Verification, *, as_json: bool) -> None:
    """Write what was compared and what differs, some of each by name; as JSON, all of it."""
    if as_json:
        print_json(_object(verification))
        return
    for kind in verification.kinds:
        mark = "equal " if kind.is_equal else "DIFFER"
        say(f"{mark} {kind.name}: {kind.in_ledger.count} in the ledger, {kind.in_graph.count} in the graph")
        for told, names in _differences(kind).items():
            for name in names[:_NAMED]:
                say(f"       {told}: {printable(name)}")
            if len(names) > _NAMED:
                say(f"       {told}: and {len(names) - _NAMED} more")
    found = "equals" if verification.is_equal else "differs from"
    say(f"the graph {found} the ledger at position {verification.position}")
    say(f"digest {verification.digest}")


def _object(verification: Verification) -> dict[str, Any]:
    return {
        "isEqual": verification.is_equal,
        "position": verification.position,
        "digest": verification.digest,
        "kinds": [
            {
                "kind": kind.name,
                "isEqual": kind.is_equal,
                "inLedger": kind.in_ledger.count,
                "inGraph": kind.in_graph.count,
                **_differences(kind),
            }
            for kind in verification.kinds
        ],
    }


def _differences(kind: ComparedKind) -> dict[str, tuple[str, ...]]:
    return {"missing": kind.missing, "unexpected": kind.unexpected, "different": kind.different}


if TYPE_CHECKING:
    import asyncpg

    from app.projector.verify import Verification
    from app.stores.neo4j.driver import Graph

project = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@project.callback()
def _about() -> None:
    """Keep the graph in Neo4j a copy of the ledger, fill it anew, and compare the two."""


@project.command()
def run() -> None:
    """Project every change until interrupted or terminated, as `trigraph serve` does.

    Fails when it has to stop by itself.
    """
    failure = finish(_run())
    if failure is not None:
        complain(failure)
        raise typer.Exit(FAILED)


@project.command()
def rebuild() -> None:
    """Clear the graph and fill it from the ledger; whoever else projects waits meanwhile."""
    rows, position = finish(_rebuild())
    say(f"projected {rows} rows of the ledger, up to position {position}")


@project.command()
def status(as_json: AsJson = False) -> None:
    """Tell how far the graph has come; fails when something keeps it from moving on."""
    if not finish(_status(as_json=as_json)):
        raise typer.Exit(FAILED)


@project.command()
def verify(as_json: AsJson = False) -> None:
    """Catch up, then compare ledger and graph, node for node and edge for edge; fails when they differ."""
    if not finish(_verify(as_json=as_json)):
        raise typer.Exit(FAILED)


async def _run() -> str | None:
    """Return why it stopped by itself; None when a service manager asked it to."""
    import asyncio
    import signal

    from app.cli.log import write_log
    from app.projector.loop import Projector

    chosen = settings()
    write_log(chosen)
    projector = Projector(chosen)
    work = asyncio.create_task(projector.run())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, work.cancel)
    try:
        await work
    except asyncio.CancelledError:
        this = asyncio.current_task()
        if this is not None and this.cancelling():  # by an interrupt
            raise
        return None
    return projector.failure


async def _rebuild() -> tuple[int, int]:
    from rich.progress import Progress

    from app.projector.sync import rebuild as fill_anew
    from app.stores.postgres.outbox import projecting_alone

    rows = 0
    screen = error_console()
    async with _stores() as (owner, graph), projecting_alone(owner):
        with Progress(console=screen, transient=True, disable=not screen.is_terminal) as progress:
            task = progress.add_task("projecting", total=None)

            def watch(written: int) -> None:
                nonlocal rows
                rows += written
                progress.update(task, completed=rows)

            checkpoint = await fill_anew(owner, graph, watch)
    return rows, checkpoint.position


async def _status(*, as_json: bool) -> bool:
    from dataclasses import asdict

    from app.cli.output import print_json
    from app.projector.stores import ProjectionStatus, read_standing

    async with _stores() as (owner, graph):
        standing: ProjectionStatus = await read_standing(owner, graph)
    if as_json:
        told = asdict(standing)
        print_json({_camel(name): value for name, value in told.items()})
    else:
        reached = "not begun" if standing.position is None else f"at position {standing.position}"
        say(f"the graph is {reached}, the ledger at {standing.ledger_position}")
        say(f"{standing.behind} changes are not projected yet" if standing.behind else "nothing is left")
        if standing.failure is not None:
            complain(standing.failure)
    return standing.failure is None


async def _verify(*, as_json: bool) -> bool:
    from app.projector.verify import verify as compare
    from app.stores.postgres.outbox import projecting_alone

    async with _stores() as (owner, graph), projecting_alone(owner):
        verification: Verification = await compare(owner, graph)
    print_verification(verification, as_json=as_json)
    return verification.is_equal


@asynccontextmanager
async def _stores() -> AsyncIterator[tuple[asyncpg.Connection, Graph]]:
    from app.projector.stores import Stores

    async with Stores(settings()) as stores, stores.ledger() as owner:
        yield owner, await stores.graph()


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
