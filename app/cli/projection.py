"""`trigraph projection`: project the ledger into Neo4j, and compare the two."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.output import error_console, print_json, printable, redraws, say
from app.cli.runner import FAILED, print_error, run_async, settings

if TYPE_CHECKING:
    import asyncpg

    from app.projector.verify import ComparedKind, Verification
    from app.stores.neo4j.driver import Graph

projection = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]

_MAX_NAMES = 20


def print_verification(verification: Verification, *, as_json: bool) -> None:
    """Print the counts of each kind and the differing names: the first of each kind as text, all as JSON."""
    if as_json:
        print_json(_object(verification))
        return
    for kind in verification.kinds:
        mark = "equal " if kind.is_equal else "DIFFER"
        say(f"{mark} {kind.name}: {kind.in_ledger.count} in the ledger, {kind.in_graph.count} in the graph")
        for difference, names in _differences(kind).items():
            for name in names[:_MAX_NAMES]:
                say(f"       {difference}: {printable(name)}")
            if len(names) > _MAX_NAMES:
                say(f"       {difference}: and {len(names) - _MAX_NAMES} more")
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


@projection.callback()
def _about() -> None:
    """Copy the ledger into Neo4j, and compare the two."""


@projection.command()
def run() -> None:
    """Project every change, as `trigraph serve` does.

    Exit 1 if the projection stops because of an error.
    """
    failure = run_async(_run())
    if failure is not None:
        print_error(failure)
        raise typer.Exit(FAILED)


@projection.command()
def rebuild() -> None:
    """Clear the graph and fill it from the ledger.

    Other projectors wait until this is done.
    """
    rows, position = run_async(_rebuild())
    say(f"projected {rows} rows of the ledger, up to position {position}")


@projection.command()
def status(as_json: AsJson = False) -> None:
    """Show the position of the graph; exit 1 if it stopped."""
    if not run_async(_status(as_json=as_json)):
        raise typer.Exit(FAILED)


@projection.command()
def verify(as_json: AsJson = False) -> None:
    """Compare the graph with the ledger; exit 1 if they differ.

    First the command brings the graph up to date. Then it compares each node and each edge.
    """
    if not run_async(_verify(as_json=as_json)):
        raise typer.Exit(FAILED)


async def _run() -> str | None:
    """Run the projector; return why it stopped by itself, or None after a request to terminate."""
    import asyncio
    import signal

    from app.cli.escaping import configure_logging
    from app.projector.loop import Projector

    chosen = settings()
    configure_logging(chosen)
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
        with Progress(console=screen, transient=True, disable=not redraws(screen)) as progress:
            task = progress.add_task("projecting", total=None)

            def watch(written: int) -> None:
                nonlocal rows
                rows += written
                progress.update(task, completed=rows)

            checkpoint = await fill_anew(owner, graph, watch)
    return rows, checkpoint.position


async def _status(*, as_json: bool) -> bool:
    from dataclasses import asdict

    from app.projector.loop import ProjectionStatus, read_standing

    async with _stores() as (owner, graph):
        projection_status: ProjectionStatus = await read_standing(owner, graph)
    if as_json:
        fields = asdict(projection_status)
        print_json({_camel(name): value for name, value in fields.items()})
    else:
        reached = (
            "not started"
            if projection_status.position is None
            else f"at position {projection_status.position}"
        )
        say(f"the graph is {reached}, the ledger at {projection_status.ledger_position}")
        say(
            f"{projection_status.behind} changes are not projected yet"
            if projection_status.behind
            else "up to date"
        )
        if projection_status.failure is not None:
            print_error(projection_status.failure)
    return projection_status.failure is None


async def _verify(*, as_json: bool) -> bool:
    from app.projector.verify import verify as compare
    from app.stores.postgres.outbox import projecting_alone

    async with _stores() as (owner, graph), projecting_alone(owner):
        verification: Verification = await compare(owner, graph)
    print_verification(verification, as_json=as_json)
    return verification.is_equal


@asynccontextmanager
async def _stores() -> AsyncIterator[tuple[asyncpg.Connection, Graph]]:
    from app.projector.loop import Stores

    async with Stores(settings()) as stores, stores.ledger() as owner:
        yield owner, await stores.graph()


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
