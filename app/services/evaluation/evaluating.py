"""Measuring a folder from its files: import, ask, score, and leave nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.errors import Invalid
from app.services.evaluation.judgements import read_judged
from app.services.evaluation.scoring import Report, score
from app.services.evaluation.scratch import scratch_memory
from app.services.importing import ImportRequest, ImportService
from app.services.importing.summary import ImportSummary
from app.settings import Settings

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")


def document_files(folder: Path) -> tuple[Path, ...]:
    """Answer the files of a folder that hold its documents.

    Raises Invalid when there is none.
    """
    found = files_of(folder, "docs")
    if not found:
        raise Invalid(f"{folder} has no docs.jsonl, docs.jsonl.gz or docs.jsonl.xz")
    return found


def files_of(folder: Path, name: str) -> tuple[Path, ...]:
    """Answer the files of rows in a folder whose names begin so."""
    return tuple(sorted(path for suffix in SUFFIXES for path in folder.glob(f"{name}*{suffix}")))


async def evaluate(
    settings: Settings,
    folder: Path,
    imported: Callable[[ImportSummary], None],
    asked: Callable[[int, int], None],
) -> Report:
    """Answer how well recall does on a folder's questions, over its documents and their history alone.

    `imported` is told of each document and `asked` of each question, as how many of how many. Raises
    Invalid when the folder cannot be read or a document of it was refused, since scores would then lie.
    """
    judged, files = read_judged(folder), document_files(folder)
    async with scratch_memory(settings) as memory:
        importing = ImportService(memory.database, memory.filing, settings.embedding_threads + 1)
        request = ImportRequest(files, states=files_of(folder, "states"))
        summary = await importing.run(memory.caller, request, watch=imported)
        if summary.refused:
            first = summary.refused[0]
            raise Invalid(
                f"{summary.refused_count} documents were refused, first {first.source}: {first.reason}"
            )
        done = 0

        def advance() -> None:
            nonlocal done
            done += 1
            asked(done, len(judged))

        return await score(memory, judged, summary.filed + summary.unchanged, advance)
