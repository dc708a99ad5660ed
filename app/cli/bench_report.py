"""The figures of a benchmark as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from app.services.benchmarking import Report


def print_report(output: Console, report: Report) -> None:
    """Print rows, ratios, throughput, the parts of a recall, and what all that was measured on and with."""
    repeats = report.corpus["repeats"]
    output.print(f"{report.documents} documents, milliseconds, the best of {repeats} for each question")
    table = Table("row", "p50", "p95")
    for name, figures in report.rows.items():
        table.add_row(name, f"{figures['p50']:.2f}", f"{figures['p95']:.2f}")
    output.print(table)
    _print_pairs(output, "ratio", report.ratios)
    _print_pairs(output, "throughput", report.throughput)
    _print_pairs(output, "bulk, documents", report.bulk)
    parts = Table("part of a recall", "ms", "calls")
    for part in report.profile:
        parts.add_row(str(part["part"]), f"{part['ms']:.2f}", f"{part['calls']:.1f}")
    output.print(parts)
    for pairs in (report.machine, report.corpus):
        output.print(", ".join(f"{name} {value}" for name, value in pairs.items()), soft_wrap=True)


def _print_pairs(output: Console, title: str, pairs: Mapping[str, float]) -> None:
    table = Table(title, "")
    for name, value in pairs.items():
        table.add_row(name.replace("_", " "), f"{value:g}")
    output.print(table)
