"""Score recall on a folder of documents with questions or judged queries."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from app.errors import Invalid
from app.evaluation.judgements import read_judged
from app.evaluation.scoring import EvaluationReport, score
from app.services.container import Memory, open_memory_at
from app.services.importing import ImportRequest
from app.services.importing.request import ImportSummary
from app.settings import Settings
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.location import LedgerLocation, locate_ledger

"""Score recall on a folder of documents with questions or judged queries."""


PREFIX = "trigraph_scratch_"

_ABANDONED = """
SELECT datname FROM pg_database
WHERE starts_with(datname, $1)
    AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE pg_stat_activity.datname = pg_database.datname)
"""


# Whoever drops abandoned databases may not meet one that is made and not connected to yet.
_ONE_AT_A_TIME = "SELECT pg_advisory_lock(hashtextextended('trigraph scratch', 0))"
_NEXT = "SELECT pg_advisory_unlock(hashtextextended('trigraph scratch', 0))"


@asynccontextmanager
async def scratch_memory(settings: Settings) -> AsyncIterator[Memory]:
    """Open the services on a new, empty database beside the ledger the settings name.

    Scratch databases that a killed process left behind are dropped on the way.
    """
    location = await locate_ledger(settings)
    try:
        async with (
            _scratch_database(location.url) as url,
            open_memory_at(LedgerLocation(url, location.embedded), settings, migrates=True) as memory,
        ):
            yield memory
    finally:
        await location.close()


@asynccontextmanager
async def _scratch_database(url: str) -> AsyncIterator[str]:
    name = f"{PREFIX}{uuid4().hex}"
    scratch = urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
    async with AsyncExitStack() as stack:
        async with owner_connection(url, seconds=None) as owner:
            await owner.execute(_ONE_AT_A_TIME)
            for row in await owner.fetch(_ABANDONED, PREFIX):
                await owner.execute(f'DROP DATABASE IF EXISTS "{row["datname"]}"')
            await owner.execute(f'CREATE DATABASE "{name}"')
            await stack.enter_async_context(owner_connection(scratch))
            await owner.execute(_NEXT)
        try:
            yield scratch
        finally:
            async with owner_connection(url, seconds=None) as owner:
                await owner.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")


def document_files(folder: Path) -> tuple[Path, ...]:
    """Return the files of a folder that hold its documents.

    Raises Invalid when there is none.
    """
    found = files_of(folder, "docs")
    if not found:
        raise Invalid(f"{folder} has no docs.jsonl, docs.jsonl.gz or docs.jsonl.xz")
    return found


def files_of(folder: Path, name: str) -> tuple[Path, ...]:
    """Return the files of rows in a folder whose names begin so."""
    return tuple(sorted(path for suffix in SUFFIXES for path in folder.glob(f"{name}*{suffix}")))


async def evaluate(
    settings: Settings,
    folder: Path,
    imported: Callable[[ImportSummary], None],
    asked: Callable[[int, int], None],
) -> EvaluationReport:
    """Return the scores of recall on a folder's questions, over only its documents and their history.

    `imported` is called after each document and `asked` after each question, with the done and total numbers.
    Raises Invalid when the folder cannot be read or a document was refused, since scores would be wrong.
    """
    judged, files = read_judged(folder), document_files(folder)
    async with scratch_memory(settings) as memory:
        request = ImportRequest(files, states=files_of(folder, "states"))
        summary = await memory.imports.run(memory.caller, request, watch=imported)
        if summary.refused:
            first = summary.refused[0]
            raise Invalid(
                f"{summary.refused_count} documents were refused; the first is {first.source}: {first.reason}"
            )
        done = 0

        def advance() -> None:
            nonlocal done
            done += 1
            asked(done, len(judged))

        return await score(memory, judged, summary.filed + summary.unchanged, advance)
