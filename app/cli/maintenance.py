"""`trigraph migrate` and `trigraph reembed`: bring the ledger up to this version, or to another model."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.output import error_console, redraws, say
from app.cli.runner import run_async, settings
from app.domain.text import pluralize


def migrate(
    check: Annotated[
        bool, typer.Option("--check", help="Check only; exit 1 if migrations are pending.")
    ] = False,
) -> None:
    """Apply the pending migrations of the database schema."""
    for line in run_async(_migrate(check=check)):
        say(line)


async def _migrate(*, check: bool) -> list[str]:
    from app.stores.postgres import migrate as migrations
    from app.stores.postgres.location import locate_ledger

    location = await locate_ledger(settings())
    try:
        if check:
            await migrations.check(location.url)
            return ["all migrations are applied"]
        applied = await migrations.migrate(location.url)
        return [f"applied {each.label}" for each in applied] or ["there are no migrations to apply"]
    finally:
        await location.close()


def reembed() -> None:
    """Compute all vectors again, after a change of the model.

    If it is interrupted, the next run continues where it stopped.
    """
    done = run_async(_reembed())
    say(f"re-embedded {pluralize(done, 'document')}" if done else "all vectors are already from this encoder")


async def _reembed() -> int:
    from rich.progress import Progress

    from app.embedding import open_embedder
    from app.services.maintenance.reembed import reembed as embed_again
    from app.stores.postgres.location import locate_ledger
    from app.stores.postgres.migrate import check

    chosen = settings()
    embedder = open_embedder(chosen)
    location = await locate_ledger(chosen)
    console = error_console()
    try:
        await check(location.url)
        with Progress(console=console, transient=True, disable=not redraws(console)) as progress:
            task = progress.add_task("embedding", total=None)
            return await embed_again(
                location.url,
                embedder,
                lambda done, total: progress.update(task, total=total, completed=done),
            )
    finally:
        await location.close()
        await embedder.close()
