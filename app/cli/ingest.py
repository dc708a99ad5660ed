"""`trigraph ingest`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.running import finish

if TYPE_CHECKING:
    from app.services.importing import ImportRequest, ImportSummary


def _path(text: str) -> Path:
    """An unset variable of a shell must not mean the whole of the current folder."""
    if not text:
        raise typer.BadParameter("a path is empty; name . to mean this folder")
    return Path(text)


def ingest(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH...]", parser=_path, help="Folders, Markdown files or docs.jsonl, also .gz and .xz."
        ),
    ] = None,
    git: Annotated[
        Path | None,
        typer.Option(parser=_path, help="A folder of a git repository: its Markdown, and how it came to be."),
    ] = None,
    states: Annotated[
        list[Path] | None,
        typer.Option(parser=_path, help="Rows that tell what the documents were before: states.jsonl."),
    ] = None,
    revisions: Annotated[
        list[Path] | None,
        typer.Option(parser=_path, help="Rows with earlier texts of the documents: revisions.jsonl."),
    ] = None,
    project: Annotated[str | None, typer.Option(help="The project to file into; made when new.")] = None,
    kind: Annotated[str | None, typer.Option(help="The kind of documents that tell none.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and no more.")] = False,
) -> None:
    """File documents; what is filed already and says the same is left as it is.

    A document that cannot be filed is listed with the reason and stops no other; the exit status is then 1.
    Symbolic links are not followed: they are listed as skipped, and nothing failed.
    """
    if git is None and not paths:
        raise typer.BadParameter("name what to file: paths, or a repository with --git")
    if git is not None and paths:
        raise typer.BadParameter("paths and --git do not go together: file the one, then the other")
    if git is not None and (states or revisions):
        raise typer.BadParameter("a repository tells its own history; leave out --states and --revisions")
    from app.cli.import_report import end_import
    from app.services.importing import ImportRequest

    request = ImportRequest(
        tuple(paths or ()), project, kind, tuple(states or ()), tuple(revisions or ()), git
    )
    summary, waiting = finish(_ingest(request))
    end_import(summary, waiting, as_json=as_json)


async def _ingest(request: ImportRequest) -> tuple[ImportSummary, int | None]:
    """Answer what became of the import, and how many references of the project wait."""
    from app.cli.import_running import run_import
    from app.services.importing import ImportService

    return await run_import(
        lambda memory, width, stop, watch: ImportService(memory.database, memory.filing, width).run(
            memory.caller, request, stop=stop, watch=watch
        ),
        request.project,
    )
