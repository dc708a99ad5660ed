"""The output of an import: a progress bar, the handling of interrupts, and the summary at the end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from app.cli.layout import print_text
from app.cli.output import console, print_json, printable, redraws
from app.cli.runner import FAILED, INTERRUPTED

if TYPE_CHECKING:
    from app.services.importing.request import ImportSummary

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOPPING = "stopping after the current documents; interrupt again to stop at once"
STOPPED = "stopped; the documents filed so far are saved; run the command again to continue"


@contextmanager
def import_progress(console: Console) -> Iterator[Callable[[ImportSummary], None]]:
    """Show a progress bar on a terminal; yield the function that updates it from a summary."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not redraws(console)) as progress:
        task = progress.add_task("filing", total=None)

        def watch(summary: ImportSummary) -> None:
            if summary.histories_seen:
                progress.update(
                    task,
                    description="importing the history",
                    total=summary.histories,
                    completed=summary.histories_seen,
                )
            else:
                progress.update(task, total=summary.total, completed=summary.seen)

        yield watch


@contextmanager
def stop_on_interrupt(stop: asyncio.Event, console: Console) -> Iterator[None]:
    """Set `stop` and print a message at the first interrupt; end the program at the second.

    SIGTERM counts as an interrupt.
    """
    loop = asyncio.get_running_loop()

    def on_signal() -> None:
        if stop.is_set():
            for number in STOP_SIGNALS:
                loop.remove_signal_handler(number)
            print_text(console, STOPPED, "yellow")
            raise KeyboardInterrupt
        stop.set()
        print_text(console, STOPPING, "yellow")

    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, on_signal)
    try:
        yield
    finally:
        for number in STOP_SIGNALS:
            loop.remove_signal_handler(number)


MAX_SHOWN = 50
MAX_SKIPPED_SHOWN = 10
NOTHING_FOUND = (
    "found nothing to import: no text (.md, .markdown, .mdx, .txt, .rst) in the folders and no row"
    " in the files; give a folder with Markdown files, a Markdown file, or a file of rows"
    " (.jsonl, .jsonl.gz, .jsonl.xz)"
)


def summary_json(summary: ImportSummary, pending: int | None) -> dict[str, Any]:
    """Return the summary as a JSON object; `pending` is the number of pending references, None if unknown."""
    return {
        "filed": summary.filed,
        "unchanged": summary.unchanged,
        "statesRecorded": summary.states_recorded,
        "statesUnchanged": summary.states_unchanged,
        "aliasesRecorded": summary.aliases_recorded,
        "aliasesUnchanged": summary.aliases_unchanged,
        "refused": [{"source": each.source, "reason": each.reason} for each in summary.refused],
        "refusedBeyond": summary.refused_beyond,
        "skipped": [{"source": each.source, "reason": each.reason} for each in summary.skipped],
        "notRead": summary.unread,
        "undated": len(summary.undated),
        "withoutKind": summary.unnamed_kinds,
        "missing": summary.missing,
        "removed": summary.removed,
        "back": summary.back,
        "knownFrom": summary.known_from,
        "kindsDefined": summary.kinds_defined,
        "collisions": [
            {
                "identifier": each.identifier,
                "files": [{"source": file.source, "identifier": file.identifier} for file in each.files],
            }
            for each in summary.collisions
        ],
        "warnings": [
            {"warning": sort, "count": warned.count, "examples": warned.examples}
            for sort, warned in summary.warnings.items()
        ],
        "pendingReferences": pending,
        "stopped": summary.was_stopped,
    }


def end_import(
    summary: ImportSummary,
    pending: int | None,
    *,
    as_json: bool,
    nothing_found: str = NOTHING_FOUND,
    folder: Path | None = None,
) -> None:
    """Print the summary of an import; exit with a failure status when it was stopped or refused documents.

    People read paths relative to the folder, if there is one.
    """
    if as_json:
        print_json(summary_json(summary, pending))
    else:
        printed = summary if folder is None else _inside(folder, summary)
        print_summary(console(), printed, pending, nothing_found)
    if summary.was_stopped:
        raise typer.Exit(INTERRUPTED)
    if summary.refused:
        raise typer.Exit(FAILED)


def _inside(folder: Path, summary: ImportSummary) -> ImportSummary:
    """Return a summary with the paths inside a folder."""
    start = f"{folder}/"
    return replace(
        summary,
        refused=[replace(each, source=each.source.removeprefix(start)) for each in summary.refused],
        skipped=[replace(each, source=each.source.removeprefix(start)) for each in summary.skipped],
        warnings={
            sort: replace(warned, examples=[each.removeprefix(start) for each in warned.examples])
            for sort, warned in summary.warnings.items()
        },
    )


def print_summary(
    console: Console, summary: ImportSummary, pending: int | None = 0, nothing_found: str = NOTHING_FOUND
) -> None:
    """Print the counts, the warnings, the skipped sources, and the refused ones with their reasons.

    `pending` is the number of pending references of the project, None if unknown; `nothing_found` is the
    message for an import without documents.
    """
    print_text(console, _counts_line(summary), "bold")
    if summary.was_stopped:
        print_text(console, _stopped_line(summary), "yellow")
    elif summary.total == 0:
        print_text(console, nothing_found, "yellow")
    if summary.histories:
        console.print(_history_line(summary))
    if summary.aliases_recorded or summary.aliases_unchanged:
        console.print(f"aliases: recorded {summary.aliases_recorded}, unchanged {summary.aliases_unchanged}")
    if pending is None:
        print_text(console, "the number of unresolved references is unknown: the database does not respond")
    elif pending:
        print_text(console, _pending_line(pending))
    _print_what_is_missing(console, summary)
    _print_removals(console, summary)
    for kind in summary.kinds_defined:
        print_text(console, f"defined the kind {printable(kind)}")
    _print_collisions(console, summary)
    _print_warnings(console, summary)
    _print_skipped(console, summary)
    for refusal in summary.refused[:MAX_SHOWN]:
        line = f"refused {printable(refusal.source)}: {printable(refusal.reason)}"
        print_text(console, line, "red", hang=4)
    if summary.refused_count > MAX_SHOWN:
        from app.services.importing.items import MAX_LISTED

        print_text(
            console, f"and {summary.refused_count - MAX_SHOWN} more; --json lists the first {MAX_LISTED}"
        )


def _counts_line(summary: ImportSummary) -> str:
    counts = f"filed {summary.filed}, unchanged {summary.unchanged}, refused {summary.refused_count}"
    return f"{counts}, skipped {len(summary.skipped)}" if summary.skipped else counts


def _history_line(summary: ImportSummary) -> str:
    counts = f"recorded {summary.states_recorded}, unchanged {summary.states_unchanged}"
    return f"histories {summary.histories_seen}: states {counts}"


def _pending_line(count: int) -> str:
    references = "1 unresolved reference" if count == 1 else f"{count} unresolved references"
    return f"{references}; `trigraph references --pending` lists them"


def _print_what_is_missing(console: Console, summary: ImportSummary) -> None:
    if summary.undated:
        count = len(summary.undated)
        line = f"undated {count}: they show no date, and take effect when filed; a field `date:` says when"
        _print_sources(console, line, summary.undated)
    if summary.unnamed_kinds:
        count = len(summary.unnamed_kinds)
        line = (
            f"numbered files without a kind {count}: they are notes; `--kind ADR`, or a folder such as"
            " `decisions`, makes them decision records"
        )
        _print_sources(console, line, summary.unnamed_kinds)
    if summary.unread:
        print_text(console, _unread_line(summary), "dim", hang=4)


def _print_removals(console: Console, summary: ImportSummary) -> None:
    for place, count in summary.known_from.items():
        line = f"{count} filed from {printable(place)} before; they stay the same documents"
        print_text(console, line, "yellow", hang=4)
    for source in summary.back[:MAX_SHOWN]:
        print_text(console, f"back after a withdrawal: {printable(source)}", "yellow", hang=4)
    if len(summary.back) > MAX_SHOWN:
        more = f"and {len(summary.back) - MAX_SHOWN} more; --json lists all"
        print_text(console, more, indent=4)
    missing = f"missing {len(summary.missing)}: filed before, and gone from the folder; --prune ends them"
    for line, sources in ((f"removed {len(summary.removed)}", summary.removed), (missing, summary.missing)):
        if sources:
            _print_sources(console, line, sources)


def _print_sources(console: Console, line: str, sources: Sequence[str]) -> None:
    """Print a line and the first of the files that it is about."""
    print_text(console, line, "yellow", hang=4)
    for source in sources[:MAX_SKIPPED_SHOWN]:
        print_text(console, printable(source), "dim", indent=4)
    if len(sources) > MAX_SKIPPED_SHOWN:
        print_text(console, f"and {len(sources) - MAX_SKIPPED_SHOWN} more", indent=4)


def _unread_line(summary: ImportSummary) -> str:
    most = sorted(summary.unread.items(), key=lambda each: (-each[1], each[0]))
    listed = ", ".join(f"{count} {printable(ending)}" for ending, count in most[:MAX_SKIPPED_SHOWN])
    more = len(most) - MAX_SKIPPED_SHOWN
    return f"not read: {listed}" + (f", and {more} more endings" if more > 0 else "")


def _stopped_line(summary: ImportSummary) -> str:
    left = f"with {max(summary.total - summary.seen, 0)} documents left"
    if not summary.total:
        left = "before the first document"
    elif summary.seen >= summary.total and summary.histories:
        left = f"with {summary.histories - summary.histories_seen} histories left"
    return f"stopped {left}; run the command again to continue"


def _print_skipped(console: Console, summary: ImportSummary) -> None:
    for reason in dict.fromkeys(each.reason for each in summary.skipped):
        sources = [each.source for each in summary.skipped if each.reason == reason]
        print_text(console, f"skipped {len(sources)}: {reason}", "yellow", hang=4)
        for source in sources[:MAX_SKIPPED_SHOWN]:
            print_text(console, printable(source), "dim", indent=4)
        if len(sources) > MAX_SKIPPED_SHOWN:
            console.print(f"    and {len(sources) - MAX_SKIPPED_SHOWN} more; --json lists all")


def _print_collisions(console: Console, summary: ImportSummary) -> None:
    for collision in summary.collisions:
        claimed = f"{len(collision.files)} files have the identifier {printable(collision.identifier)}"
        print_text(console, claimed, "yellow", hang=4)
        for file in collision.files:
            filed = f"{printable(file.source)} is filed as {printable(file.identifier or file.source)}"
            print_text(console, filed, indent=4, hang=4)


def _print_warnings(console: Console, summary: ImportSummary) -> None:
    for sort, warned in sorted(summary.warnings.items(), key=lambda item: -item[1].count):
        if warned.count == 1:
            print_text(console, printable(warned.examples[0]), "yellow", hang=4)
            continue
        print_text(console, f"{warned.count} x {printable(sort)}", "yellow", hang=4)
        for example in warned.examples:
            place = example.removesuffix(f": {sort}")
            print_text(console, printable(place), "dim", indent=4, hang=4)
