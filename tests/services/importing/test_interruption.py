from __future__ import annotations

import asyncio
import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import orjson
import pytest
from rich.console import Console

from app.cli.import_output import print_summary
from app.errors import Unavailable
from app.services.importing import ImportRequest, ImportSummary
from app.services.importing.interruption import Stopped
from app.services.importing.scan import scan_paths
from app.stores.postgres import artifacts
from app.stores.postgres.pool import Database
from tests.documents import ProjectFixture
from tests.services.importing.conftest import Write

DOCUMENTS = 24

COUNTS = """
SELECT (SELECT count(*) FROM artifact), (SELECT count(*) FROM entity), (SELECT count(*) FROM entity_state),
    (SELECT count(*) FROM reference), (SELECT count(*) FROM pending_reference WHERE closed_at IS NULL),
    (SELECT count(*) FROM embedding), (SELECT count(*) FROM posting), (SELECT count(*) FROM type)
"""

IMPORT = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from app.services.importing import ImportRequest
from app.services.container import open_memory
from app.settings import Settings

async def main(url, folder):
    async with open_memory(Settings(database_url=url)) as memory:
        service = replace(memory, import_width=3).imports
        report = lambda summary: print(summary.filed, flush=True)
        await service.run(memory.caller, ImportRequest((Path(folder),), "p"), watch=report)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture
def corpus(folder: Path, write: Write) -> Path:
    for number in range(1, DOCUMENTS + 1):
        before = f"Supersedes ADR-{number - 1}." if number % 3 == 0 else f"See ADR-{number + 1}."
        write(f"adr/{number:04}-x.md", f"# Decision {number}\n\nDate: 2026-01-{number:02}\n\n{before}\n")
    return folder


def importing(url: str, folder: Path) -> subprocess.Popen[str]:
    command = (sys.executable, "-c", IMPORT, url, str(folder))
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def counts(url: str) -> tuple[int, ...]:
    connection = await asyncpg.connect(url)
    try:
        return tuple(await connection.fetchrow(COUNTS))
    finally:
        await connection.close()


async def test_an_import_killed_and_run_again_leaves_the_same_ledger(
    database_url: str, corpus: Path, desk: ProjectFixture
) -> None:
    process = importing(database_url, corpus)
    assert process.stdout is not None
    while process.stdout.readline().strip() not in ("7", ""):
        pass
    process.kill()
    process.communicate()
    killed = await counts(database_url)
    assert 7 <= killed[0] < DOCUMENTS
    again = importing(database_url, corpus)
    await asyncio.to_thread(again.communicate)
    assert again.returncode == 0
    resumed = await counts(database_url)
    service = replace(desk.memory, import_width=3).imports
    whole = await service.run(desk.memory.caller, ImportRequest((corpus,), desk.project))
    assert whole.filed == DOCUMENTS == resumed[0] == resumed[1]
    async with desk.reading() as connection:
        states = await connection.fetchval(
            "SELECT count(*) FROM entity_state AS state JOIN entity ON entity.tenant_id = state.tenant_id"
            " AND entity.id = state.entity JOIN project ON project.tenant_id = entity.tenant_id"
            " AND project.project_id = entity.project_id WHERE project.key = $1 AND retracted_at IS NULL",
            desk.project,
        )
        joined = await connection.fetchval(
            "SELECT count(*) FROM reference JOIN project USING (tenant_id, project_id) WHERE key = $1",
            desk.project,
        )
    assert await open_states(database_url) == states
    assert resumed[3] == joined


async def open_states(url: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        count: int = await connection.fetchval("SELECT count(*) FROM entity_state WHERE retracted_at IS NULL")
        return count
    finally:
        await connection.close()


async def test_a_stop_lets_the_documents_at_hand_end_and_the_next_run_goes_on(
    desk: ProjectFixture, corpus: Path
) -> None:
    stop = asyncio.Event()
    service = desk.memory.imports
    request = ImportRequest((corpus,), desk.project)

    def watch(summary: ImportSummary) -> None:
        if summary.filed == 3:
            stop.set()

    stopped = await service.run(desk.memory.caller, request, stop=stop, watch=watch)
    assert stopped.was_stopped
    assert 3 <= stopped.filed <= 6
    again = await service.run(desk.memory.caller, request)
    assert (again.filed + again.unchanged, again.unchanged) == (DOCUMENTS, stopped.filed)
    assert not again.was_stopped


async def test_a_stop_before_all_is_looked_at_files_nothing(desk: ProjectFixture, corpus: Path) -> None:
    stop = asyncio.Event()
    stop.set()
    service = desk.memory.imports
    stopped = await service.run(desk.memory.caller, ImportRequest((corpus,), desk.project), stop=stop)
    assert (stopped.was_stopped, stopped.filed, stopped.total) == (True, 0, 0)
    screen = io.StringIO()
    print_summary(Console(file=screen), stopped)
    assert screen.getvalue().endswith(
        "\nstopped before the first document; run the command again to continue\n"
    )


async def test_a_ledger_that_is_gone_ends_the_import(
    corpus: Path, desk: ProjectFixture, database_url: str
) -> None:
    database = await Database.open(database_url, size=4, patience=1.0)
    memory = replace(desk.memory, database=database)
    closing: list[asyncio.Task[None]] = []

    def watch(summary: ImportSummary) -> None:
        if summary.filed == 2 and not closing:
            closing.append(asyncio.create_task(database.close()))

    with pytest.raises(Unavailable, match="run the import again to continue"):
        await memory.imports.run(memory.caller, ImportRequest((corpus,), "p"), watch=watch)
    await asyncio.gather(*closing)


async def test_a_disk_that_fills_ends_the_import_and_keeps_what_was_filed(
    corpus: Path, desk: ProjectFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server says so of one insert after the other, and no further document is embedded in vain."""
    inserted = artifacts.insert_artifact
    tried = 0

    async def on_a_full_disk(*given: Any) -> Any:
        nonlocal tried
        tried += 1
        if tried > 5:
            raise asyncpg.DiskFullError("could not extend file: No space left on device")
        return await inserted(*given)

    monkeypatch.setattr(artifacts, "insert_artifact", on_a_full_disk)
    service = desk.memory.imports
    request = ImportRequest((corpus,), desk.project)
    with pytest.raises(Unavailable) as failed:
        await service.run(desk.memory.caller, request)
    assert failed.value.message.startswith("the disk of the database is full; free some space and retry; ")
    assert failed.value.message.endswith(
        " documents were filed before that: run the import again to continue"
    )
    assert tried < 10
    monkeypatch.undo()
    kept = await filed_of(desk)
    assert 1 <= kept <= 5
    assert f"; {kept} documents were filed before that" in failed.value.message
    again = await service.run(desk.memory.caller, request)
    assert (again.filed, again.unchanged) == (DOCUMENTS - kept, kept)


async def filed_of(desk: ProjectFixture) -> int:
    async with desk.reading() as connection:
        count: int = await connection.fetchval(
            "SELECT count(*) FROM artifact JOIN project USING (tenant_id, project_id) WHERE key = $1",
            desk.project,
        )
    return count


LONG = "[[Page]] and [another](page.md) of ADR-7, which supersedes ADR-8.\n\n" * 40_000


@pytest.mark.parametrize("name", ["docs.jsonl", "adr/0007-x.md"])
def test_the_argument_alone_ends_the_reading_of_a_text(write: Write, name: str) -> None:
    """A reader that only heard of a stop through its context read the text to its end."""
    row = orjson.dumps({"id": "ADR-7", "kind": "ADR", "title": "Long", "body": LONG})
    path = write(name, row if name.endswith("jsonl") else "# Short\n")
    found = scan_paths([path.parent if name.endswith(".md") else path], "ADR", frozenset())
    path.write_bytes(row if name.endswith("jsonl") else LONG.encode())
    asked = iter(range(1_000))
    items = found.read(lambda: next(asked) >= (1 if name.endswith("jsonl") else 0))
    with pytest.raises(Stopped):
        next(items)
