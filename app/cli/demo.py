"""`trigraph demo`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from app.cli.running import finish, settings

PROJECT = "trigraph"
HITS = 3
SUPERSEDED_RECORD = "ADR-0005"
TIMELINE = f"The timeline of one decision: what {SUPERSEDED_RECORD} was when, and what made it so."
HISTORY = f"trigraph state {SUPERSEDED_RECORD} --project {PROJECT} --history"


@dataclass(frozen=True, slots=True)
class Example:
    """A question, what it shows, and the moment it is asked at; none means now."""

    caption: str
    query: str
    as_of: datetime | None = None


EXAMPLES = (
    Example("Plain words: meaning and words lead to the record that answers.", "why not ts_rank"),
    Example("An identifier, spelled otherwise: what the question names comes first.", "adr 13"),
    Example("An old name: it leads to what goes by another one now.", "ReviewItem"),
    Example(
        "As of a day in the past: the answer that held then, and nothing that came later.",
        "how are the rankings of the legs merged",
        datetime(2026, 6, 1, tzinfo=UTC),
    ),
    Example(
        "The same question now: what was decided since, above what it superseded.",
        "how are the rankings of the legs merged",
    ),
)


def demo() -> None:
    """File Trigraph's own decision records into the project `trigraph`, and ask five questions of them.

    Then show what one of them was when.
    """
    finish(_demo())


async def _demo() -> None:
    from rich.console import Console
    from rich.text import Text

    from app.cli.hits import print_hits
    from app.cli.import_progress import import_progress
    from app.cli.import_report import print_summary
    from app.cli.printing import console
    from app.cli.states_told import load_history, print_states
    from app.domain.recall import RecallRequest
    from app.resources import shipped_folder
    from app.services.importing import ImportRequest, ImportService
    from app.services.memory import open_memory

    chosen = settings()
    screen = console()
    folder = shipped_folder("decisions", "docs/decisions")
    async with open_memory(chosen) as memory:
        service = ImportService(memory.database, memory.filing, chosen.embedding_threads + 1)
        screen.print(f"Trigraph's own decision records, filed into the project {PROJECT}:")
        with import_progress(Console(stderr=True)) as watch:
            request = ImportRequest((folder,), PROJECT)
            print_summary(screen, await service.run(memory.caller, request, watch=watch))
        for number, example in enumerate(EXAMPLES, start=1):
            screen.print()
            screen.print(Text(f"{number}. {example.caption}", style="bold"), soft_wrap=True)
            screen.print(Text(f"$ {_command(example)}", style="magenta"), soft_wrap=True)
            asked = RecallRequest(example.query, as_of=example.as_of, project=PROJECT, first=HITS)
            print_hits(screen, asked, await memory.recall.recall(memory.caller, asked))
        screen.print()
        screen.print(Text(f"{len(EXAMPLES) + 1}. {TIMELINE}", style="bold"), soft_wrap=True)
        screen.print(Text(f"$ {HISTORY}", style="magenta"), soft_wrap=True)
        print_states(screen, await load_history(memory, SUPERSEDED_RECORD, PROJECT, None))


def _command(example: Example) -> str:
    when = "" if example.as_of is None else f" --as-of {example.as_of:%Y-%m-%d}"
    return f'trigraph recall "{example.query}" --project {PROJECT} --first {HITS}{when}'
