"""`trigraph demo`: import the shipped proposals and ask example questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.runner import run_async, settings

if TYPE_CHECKING:
    from rich.console import Console

    from app.services.container import Memory
    from app.services.importing import ImportRequest

DATA = Path(__file__).with_name("demo_data")
PROJECT = "demo"
HITS = 3
INTRODUCTION = f"Sixteen Python proposals on packaging with their history, in the project {PROJECT}:"
TIMELINE = "A timeline: each state of a proposal, and the commit that made it."
TIMELINE_OF = "PEP-386"
HISTORY = f"trigraph state {TIMELINE_OF} --project {PROJECT} --history"


@dataclass(frozen=True, slots=True)
class Example:
    """A question, what it shows, and the moment it is asked for; None means now."""

    caption: str
    query: str
    as_of: datetime | None = None


IN_2010 = Example(
    "In 2010: PEP 386 was in force, and PEP 440 did not exist.",
    "which version scheme orders releases",
    datetime(2010, 6, 1, tzinfo=UTC),
)
NOW = Example(
    "The same question now: PEP 440 is in force, and PEP 386 is marked as superseded.", IN_2010.query
)
EXAMPLES = (
    Example(
        "Plain words: the search finds the proposal by its meaning and its words.",
        "why can nobody upload eggs any more",
    ),
    Example("An identifier: any spelling finds the document.", "pep 440"),
    Example(
        "An old title: the document is found by a title it no longer has.",
        "Removal of Official Public PyPI Mirrors",
    ),
    IN_2010,
    NOW,
    Example("A superseded document: what replaced it comes right below.", "PEP 345"),
)


def demo() -> None:
    """Import sixteen Python proposals and ask six questions.

    The proposals and their history go into the project `demo`. At the end the command shows the timeline of
    one of them.
    """
    run_async(_demo())


def demo_import() -> ImportRequest:
    """Return the import request for the shipped proposals: their texts and their states over time."""
    from app.services.importing import ImportRequest

    return ImportRequest(
        (DATA / "docs.jsonl.xz",),
        PROJECT,
        states=(DATA / "states.jsonl",),
        revisions=(DATA / "revisions.jsonl.xz",),
    )


async def print_examples(screen: Console, memory: Memory, examples: Sequence[Example]) -> None:
    """Ask each question and print its caption, the command that asks it, and its hits."""
    from app.cli.recall_output import print_hits
    from app.domain.recall import RecallRequest

    for number, example in enumerate(examples, start=1):
        _print_caption(screen, f"{number}. {example.caption}", _command(example))
        request = RecallRequest(example.query, as_of=example.as_of, project=PROJECT, first=HITS)
        print_hits(screen, request, await memory.recall.recall(memory.caller, request))


async def _demo() -> None:
    from app.cli.import_output import import_progress, print_summary
    from app.cli.output import console, error_console
    from app.cli.state import load_history, print_states
    from app.services.container import open_memory

    screen = console()
    async with open_memory(settings()) as memory:
        screen.print(INTRODUCTION)
        with import_progress(error_console()) as watch:
            summary = await memory.imports.run(memory.caller, demo_import(), watch=watch)
        print_summary(screen, summary)  # only now is the bar gone, which may share the terminal
        await print_examples(screen, memory, EXAMPLES)
        _print_caption(screen, f"{len(EXAMPLES) + 1}. {TIMELINE}", HISTORY)
        print_states(screen, await load_history(memory, TIMELINE_OF, PROJECT, None))


def _print_caption(screen: Console, caption: str, command: str) -> None:
    from app.cli.layout import print_text
    from app.cli.output import styled_text

    screen.print()
    print_text(screen, caption, "bold")
    screen.print(styled_text(f"$ {command}", style="magenta"), soft_wrap=True)


def _command(example: Example) -> str:
    when = "" if example.as_of is None else f" --as-of {example.as_of:%Y-%m-%d}"
    return f'trigraph recall "{example.query}" --project {PROJECT} --first {HITS}{when}'
