"""`trigraph check`: find what contradicts itself or leads nowhere in decision records."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.check_output import ReportFormat, print_report
from app.cli.runner import FAILED, run_async, settings

if TYPE_CHECKING:
    from app.services.checking import CheckReport


def _path(text: str) -> Path:
    """Return the path; refuse an empty one: an unset shell variable must not mean the current folder."""
    if not text:
        raise typer.BadParameter("the path is empty; use . for the current folder")
    return Path(text)


def check(
    path: Annotated[
        Path, typer.Argument(parser=_path, metavar="PATH", help="A folder of Markdown, or one file of it.")
    ],
    against: Annotated[
        str | None,
        typer.Option(metavar="PROJECT", help="What is in this project counts as there. Opens the database."),
    ] = None,
    report_format: Annotated[
        ReportFormat,
        typer.Option(
            "--format",
            help="text; json; github, which annotates the lines of a pull request; or sarif, version 2.1.0.",
        ),
    ] = ReportFormat.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with status 1 if there is a finding.")
    ] = False,
) -> None:
    """Check decision records: numbers, supersessions, references, statuses, dates.

    Nothing is written, and without --against no database is opened. Of a single file the findings are
    printed, and the files beside it are read too. The exit status is 2 if PATH cannot be read.
    """
    if as_json and report_format not in (ReportFormat.TEXT, ReportFormat.JSON):
        raise typer.BadParameter("--json and --format name different formats; give one of them")
    report = run_async(_check(path, against))
    print_report(path, report, ReportFormat.JSON if as_json else report_format)
    if strict and report.findings:
        raise typer.Exit(FAILED)


async def _check(path: Path, against: str | None) -> CheckReport:
    from app.services.document_reader import document_reader

    document_reader().prepare("app.services.parsing")
    stop = Event()
    try:
        if against is not None:
            from app.services.container import open_memory

            async with open_memory(settings()) as memory:
                return await memory.checks.check(memory.caller, path, against, stop.is_set)
        from app.services.checking import check_path

        return await asyncio.to_thread(check_path, path, stop.is_set)
    except asyncio.CancelledError:
        stop.set()
        raise
