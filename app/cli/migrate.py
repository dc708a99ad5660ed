"""`trigraph migrate`: apply or check the migrations of the ledger."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.output import say
from app.cli.runner import run_async, settings


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
