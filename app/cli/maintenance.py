"""The commands of the operator: `trigraph migrate`, `reembed`, `schema` and `doctor`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.output import error_console, redraws, say
from app.cli.runner import FAILED, run_async, settings
from app.domain.text import pluralize

if TYPE_CHECKING:
    from rich.text import Text

    from app.diagnostics import Finding


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


def schema() -> None:
    """Print the GraphQL schema."""
    from app.graphql.schema import printed_schema

    say(printed_schema().rstrip("\n"))


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Run a health check and say how to fix problems.

    Each part is ok, or has a warning or an error. With an error the exit status is 1.
    """
    if not run_async(_doctor(as_json=as_json)):
        raise typer.Exit(FAILED)


async def _doctor(*, as_json: bool) -> bool:
    from app.cli.layout import print_text
    from app.cli.output import console, print_json, printable, styled_text
    from app.diagnostics import examine

    screen = console()
    findings = []
    async for finding in examine(settings()):
        findings.append(finding)
        if not as_json:
            text = styled_text(f"{finding.part}: {printable(finding.message)}")
            print_text(screen, _mark(finding) + text, hang=9)
    is_well = all(finding.is_well for finding in findings)
    if as_json:
        print_json({"isWell": is_well, "findings": [_finding_json(asdict(finding)) for finding in findings]})
    return is_well


def _mark(finding: Finding) -> Text:
    from app.cli.output import styled_text

    if finding.is_doubtful:
        return styled_text("warning  ", "yellow")
    return styled_text("ok       ", "green") if finding.is_well else styled_text("error    ", "red")


def _finding_json(finding: dict[str, object]) -> dict[str, object]:
    return {
        "part": finding["part"],
        "isWell": finding["is_well"],
        "isDoubtful": finding["is_doubtful"],
        "message": finding["message"],
    }
