"""What became of an import, for people and for programs."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from app.cli.printing import printable
from app.services.importing.summary import ImportSummary

MOST_SHOWN = 50


def summary_json(summary: ImportSummary) -> dict[str, Any]:
    """Answer the summary as one object."""
    return {
        "filed": summary.filed,
        "unchanged": summary.unchanged,
        "refused": [{"source": each.source, "reason": each.reason} for each in summary.refused],
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
        "stopped": summary.was_stopped,
    }


def print_summary(console: Console, summary: ImportSummary) -> None:
    """Write the counts, what was odd, and what was refused and why."""
    counts = f"filed {summary.filed}, unchanged {summary.unchanged}, refused {len(summary.refused)}"
    console.print(Text(counts, style="bold"))
    if summary.total == 0:
        console.print("there is no Markdown file under these paths, and no row")
    if summary.was_stopped:
        left = summary.total - summary.seen
        console.print(Text(f"stopped with {left} left; run it again to go on", style="yellow"))
    for kind in summary.kinds_defined:
        console.print(f"defined the kind {printable(kind)}")
    _print_collisions(console, summary)
    _print_warnings(console, summary)
    for refusal in summary.refused[:MOST_SHOWN]:
        line = f"refused {printable(refusal.source)}: {printable(refusal.reason)}"
        console.print(Text(line, style="red"), soft_wrap=True)
    if len(summary.refused) > MOST_SHOWN:
        console.print(f"and {len(summary.refused) - MOST_SHOWN} more; --json lists all")


def _print_collisions(console: Console, summary: ImportSummary) -> None:
    for collision in summary.collisions:
        console.print(
            Text(f"{len(collision.files)} files call themselves {printable(collision.identifier)}", "yellow")
        )
        for file in collision.files:
            console.print(
                f"    {printable(file.source)} goes by {printable(file.identifier or file.source)}",
                soft_wrap=True,
            )


def _print_warnings(console: Console, summary: ImportSummary) -> None:
    for sort, warned in sorted(summary.warnings.items(), key=lambda item: -item[1].count):
        console.print(Text(f"{warned.count} x {printable(sort)}", style="yellow"), soft_wrap=True)
        for example in warned.examples:
            console.print(Text(f"    {printable(example)}", style="dim"), soft_wrap=True)
