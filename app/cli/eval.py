"""`trigraph eval`: score recall on a folder of questions and print the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from app.cli.layout import print_text
from app.cli.output import console, error_console, print_json, printable, redraws
from app.cli.runner import print_error, run_async, settings
from app.domain.text import pluralize

if TYPE_CHECKING:
    from app.evaluation.scoring import EvaluationReport

MAX_WRONG_SHOWN = 20
MEASURES = ("ndcg@10", "recall@10", "recall@100", "mrr")
LEGEND = "fused: the order of recall; rrf: plain rank fusion with equal weights"
Advance = Callable[[str, int, int], None]


def evaluate(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A folder with docs.jsonl (or .gz, .xz) and either questions*.jsonl, or"
            " queries.jsonl and qrels.tsv.",
            exists=True,
            file_okay=False,
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Score recall on a folder of questions.

    The documents of the folder go into a scratch database. Recall and each of its legs get a score.
    A question is {"text": ..., "relevant": [{"id": ..., "rel": 1}]}. A query is {"qid": ..., "text": ...}.
    A line of qrels.tsv is query, document and grade, separated by tabs. With states.jsonl (or .gz, .xz)
    the documents also get their history.
    """
    report = run_async(_evaluate(folder))
    if report.unknown:
        print_error(
            f"{len(report.unknown)} judged documents are not in docs.jsonl and count as"
            f" never found; the first is {report.unknown[0]}"
        )
    if as_json:
        print_json(asdict(report))
    else:
        _print_tables(console(), report)


async def _evaluate(folder: Path) -> EvaluationReport:
    from app.evaluation import evaluate as run

    with _progress() as advance:
        return await run(
            settings(),
            folder,
            lambda summary: advance("filing", summary.seen, summary.total),
            lambda done, total: advance("asking", done, total),
        )


@contextmanager
def _progress() -> Iterator[Advance]:
    """Show how far each step is, on a terminal's error output only."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    terminal = error_console()
    with Progress(*columns, console=terminal, transient=True, disable=not redraws(terminal)) as progress:
        steps = {name: progress.add_task(name, visible=False) for name in ("filing", "asking")}

        def advance(step: str, done: int, total: int) -> None:
            progress.update(steps[step], completed=done, total=total, visible=True)

        yield advance


def _print_tables(output: Console, report: EvaluationReport) -> None:
    output.print(
        f"{pluralize(report.documents, 'document')},"
        f" {pluralize(report.queries, 'query', 'queries')}, {report.forbidden} forbidden"
        " hits"
    )
    for title, rows in (("leg", report.scores), ("category (fused)", report.categories)):
        table = Table(title, *MEASURES)
        for name, scores in rows.items():
            table.add_row(name, *(f"{scores[measure]:.4f}" if scores else "" for measure in MEASURES))
        output.print(table)
    print_text(output, LEGEND)
    if report.answers:
        table = Table("answers, by the ledger or by the first hit", "right", "asked")
        for name, answers in report.answers.items():
            table.add_row(name, str(answers.right), str(answers.asked))
        output.print(table)
    for line in report.wrong[:MAX_WRONG_SHOWN]:
        print_text(output, f"wrong: {printable(line)}", "yellow", hang=4)
