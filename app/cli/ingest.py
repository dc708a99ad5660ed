"""`trigraph ingest`: import documents, and the steps that every import command shares."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer
from rich.console import Console

from app.cli.import_output import end_import, import_progress, stop_on_interrupt
from app.cli.output import error_console, redraws
from app.cli.runner import run_async, settings
from app.domain.page import PageRequest
from app.errors import NotFound, Unavailable

if TYPE_CHECKING:
    from app.services.container import Memory
    from app.services.importing import ImportRequest, ImportSummary
    from app.services.importing.table import TableRequest
    from app.settings import Settings


QUIET_SECONDS = 2.0
"""Without a large project there is nothing to do, and nothing is said of it."""


async def index_until_stopped(settings: Settings, stop: asyncio.Event, console: Console) -> None:
    """Index the vectors of large projects; an interrupt leaves it to the next import or `trigraph serve`."""
    from app.services.maintenance.periodic import index_ledger

    indexing = asyncio.create_task(index_ledger(settings))
    stopping = asyncio.create_task(stop.wait())
    both = (indexing, stopping)
    await asyncio.wait(both, timeout=QUIET_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    is_shown = redraws(console) and not indexing.done()
    with console.status("indexing the vectors of large projects") if is_shown else nullcontext():
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not indexing.done():
        indexing.cancel()
    await asyncio.gather(indexing, stopping, return_exceptions=True)


async def count_pending(memory: Memory, project: str | None) -> int | None:
    """Return the number of pending references of the project: 0 without a project, None without a database.

    References from earlier imports count too.
    """
    from app.services.catalog import RequestedMoment
    from app.services.catalog.lookup import DEFAULT_PROJECT

    try:
        listing = await memory.catalog.pending_references(
            memory.caller, project or DEFAULT_PROJECT, RequestedMoment(), PageRequest(0)
        )
        return await listing.count()
    except NotFound:
        return 0
    except Unavailable:
        return None


ImportFunction: TypeAlias = (
    "Callable[[Memory, asyncio.Event, Callable[[ImportSummary], None]], Awaitable[ImportSummary]]"
)
"""Imports documents until the event is set; reports each step."""


async def run_import(
    import_documents: ImportFunction, project: str | None
) -> tuple[ImportSummary, int | None]:
    """Run an import; return its summary and the number of pending references of the project.

    Afterwards index the vectors of large projects, as `trigraph serve` does.
    """
    from app.services.container import open_memory

    chosen = settings()
    async with open_memory(chosen) as memory:
        stop, console = asyncio.Event(), error_console()
        with stop_on_interrupt(stop, console):
            with import_progress(console) as watch:
                summary = await import_documents(memory, stop, watch)
            await index_until_stopped(chosen, stop, console)
        return summary, await count_pending(memory, project)


def _path(text: str) -> Path:
    """Return the path; refuse an empty one: an unset shell variable must not mean the current folder."""
    if not text:
        raise typer.BadParameter("a path is empty; use . for the current folder")
    return Path(text)


def _git_path(text: str) -> Path:
    """Return the path; refuse an option in its place, which the parser takes for the value."""
    if text.startswith("-") and not Path(text).exists():
        raise typer.BadParameter(f"--git needs a path, not {text}: --git PATH")
    return _path(text)


def ingest(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH...]", parser=_path, help="Folders, Markdown files or docs.jsonl (also .gz, .xz)."
        ),
    ] = None,
    git: Annotated[
        Path | None,
        typer.Option(
            parser=_git_path,
            help="A folder in a git repository: import its Markdown files and their history.",
        ),
    ] = None,
    states: Annotated[
        list[Path] | None,
        typer.Option(parser=_path, help="A file with the former states of the documents: states.jsonl."),
    ] = None,
    revisions: Annotated[
        list[Path] | None,
        typer.Option(parser=_path, help="A file with the former texts of the documents: revisions.jsonl."),
    ] = None,
    project: Annotated[
        str | None, typer.Option(help="The project to import into; it is created if it does not exist.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="The kind (document type) of documents that do not state one.")
    ] = None,
    prune: Annotated[
        bool,
        typer.Option("--prune", help="End the documents whose files are gone from the folders since."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print only one JSON object.")] = False,
) -> None:
    """Import documents. Documents that did not change since the last import stay as they are.

    A document that cannot be imported is listed with the reason; the others are imported, and the exit
    status is 1. Symbolic links are not followed: they are listed as skipped, which is not a failure.
    """
    if git is None and not paths:
        raise typer.BadParameter("give the paths to import, or a repository with --git")
    if git is not None and paths:
        raise typer.BadParameter("--git cannot be combined with paths; run the command once for each")
    if git is not None and (states or revisions):
        raise typer.BadParameter("a git repository has its own history; leave out --states and --revisions")
    if git is not None and prune:
        raise typer.BadParameter("a git history says itself what was removed; leave out --prune")
    from app.services.importing import ImportRequest

    request = ImportRequest(
        tuple(paths or ()), project, kind, tuple(states or ()), tuple(revisions or ()), git, prune
    )
    summary, pending = run_async(_ingest(request))
    only = git or (paths[0] if paths and len(paths) == 1 and paths[0].is_dir() else None)
    end_import(summary, pending, as_json=as_json, folder=only)


async def _ingest(request: ImportRequest) -> tuple[ImportSummary, int | None]:
    """Run the import; return its summary and the number of pending references of the project."""
    return await run_import(
        lambda memory, stop, watch: memory.imports.run(memory.caller, request, stop=stop, watch=watch),
        request.project,
    )


NO_ROWS = "found nothing to import: the table has no rows"


def migrate_artifacts(
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="ADDRESS",
            help="The source database, postgresql://user@host:5432/name. The password may be in"
            " PGPASSWORD or in a password file. Trigraph only reads this database.",
        ),
    ],
    table: Annotated[
        str, typer.Option(help="The table or view with the documents, such as public.artifacts.")
    ],
    aliases: Annotated[str | None, typer.Option(help="A table with aliases of the documents.")] = None,
    project: Annotated[
        str | None, typer.Option(help="The project to import into; it is created if it does not exist.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="The kind (document type) of rows that do not state one.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only one JSON object.")] = False,
) -> None:
    """Import documents from a table of a PostgreSQL database.

    Documents that did not change since the last import stay as they are. A row that cannot be imported is
    listed with the reason; the others are imported, and the exit status is 1.
    """
    from app.services.importing.table import TableRequest

    summary, pending = run_async(_import_table(TableRequest(source, table, project, kind, aliases)))
    end_import(summary, pending, as_json=as_json, nothing_found=NO_ROWS)


async def _import_table(request: TableRequest) -> tuple[ImportSummary, int | None]:
    """Run the import; return its summary and the number of pending references of the project."""
    return await run_import(
        lambda memory, stop, watch: memory.table_imports.run(memory.caller, request, stop=stop, watch=watch),
        request.project,
    )
