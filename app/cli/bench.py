"""`trigraph bench`: run the benchmark and print its report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
import uvloop
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from app.cli.layout import print_text
from app.cli.output import console, error_console, print_json, redraws
from app.cli.runner import run_async, settings

if TYPE_CHECKING:
    from app.benchmark import BenchmarkReport


def print_report(output: Console, report: BenchmarkReport) -> None:
    """Print the timings, ratios, throughput, the parts of a recall, the machine and the corpus."""
    repeats = report.corpus["repeats"]
    output.print(f"{report.documents} documents; milliseconds, best of {repeats} runs per question")
    table = Table("row", "p50", "p95")
    for name, figures in report.rows.items():
        table.add_row(name, f"{figures['p50']:.2f}", f"{figures['p95']:.2f}")
    output.print(table)
    _print_pairs(output, "ratio", report.ratios)
    _print_pairs(output, "throughput", report.throughput)
    _print_pairs(output, "bulk import, documents", report.bulk)
    parts = Table("part of a recall", "ms", "calls")
    for part in report.profile:
        parts.add_row(str(part["part"]), f"{part['ms']:.2f}", f"{part['calls']:.1f}")
    output.print(parts)
    for pairs in (report.machine, report.corpus):
        print_text(output, ", ".join(f"{name} {value}" for name, value in pairs.items()), hang=4)


def _print_pairs(output: Console, title: str, pairs: Mapping[str, float]) -> None:
    table = Table(title, "")
    for name, value in pairs.items():
        table.add_row(name.replace("_", " "), f"{value:g}")
    output.print(table)


Advance = Callable[[str, int, int | None], None]


class Vectors(StrEnum):
    """The source of the documents' vectors."""

    ENCODER = "encoder"
    SYNTHETIC = "synthetic"


def bench(
    documents: Annotated[
        int, typer.Option(metavar="N", help="The number of documents, from 10 to 1,000,000.")
    ] = 1_000,
    corpora: Annotated[
        Path | None,
        typer.Option(
            help="A folder with texts to make documents from: Markdown files, or docs.jsonl"
            " (also .gz, .xz). The default is the shipped decision records."
        ),
    ] = None,
    vectors: Annotated[
        Vectors,
        typer.Option(
            help="Where the vectors of the documents come from: `encoder` computes each one;"
            " `synthetic` mixes some of them, so that 100,000 documents take only minutes."
        ),
    ] = Vectors.ENCODER,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Benchmark import and recall against a baseline.

    The benchmark runs in a scratch database. One run times all rows in turn, so that their ratios are also
    right on a busy machine.
    """
    # The loop that `trigraph serve` runs on, so that every row has the same.
    report = run_async(
        _bench(documents, corpora, synthetic=vectors is Vectors.SYNTHETIC), uvloop.new_event_loop
    )
    if as_json:
        print_json(asdict(report))
    else:
        print_report(console(), report)


async def _bench(documents: int, folder: Path | None, *, synthetic: bool) -> BenchmarkReport:
    from app.benchmark import run_benchmark

    chosen = settings()
    with _progress() as advance:
        return await run_benchmark(chosen, documents, folder, advance, synthetic=synthetic)


@contextmanager
def _progress() -> Iterator[Advance]:
    """Show how far each step is, on a terminal's error output only."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    terminal = error_console()
    with Progress(*columns, console=terminal, transient=True, disable=not redraws(terminal)) as progress:
        steps = {}

        def advance(step: str, done: int, total: int | None) -> None:
            if step not in steps:
                steps[step] = progress.add_task(step, total=total)
            progress.update(steps[step], completed=done, total=total)

        yield advance
