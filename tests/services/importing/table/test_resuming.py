from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace

import pytest

from app.errors import Unavailable
from app.services.filing import pipeline
from app.services.importing import ImportSummary
from app.services.importing.table import TableRequest
from tests.documents import ProjectFixture, edges
from tests.services.importing.table.conftest import Migrated, OldDatabase
from tests.services.importing.test_interruption import counts

DOCUMENTS = 40

IMPORT = """
import asyncio, sys
from dataclasses import replace
from app.services.importing.table import TableRequest
from app.services.container import open_memory
from app.settings import Settings

async def main(url, address):
    async with open_memory(Settings(database_url=url)) as memory:
        service = replace(memory, import_width=3).table_imports
        report = lambda summary: print(summary.filed, flush=True)
        await service.run(memory.caller, TableRequest(address, "artifacts", "p"), watch=report)

asyncio.run(main(*sys.argv[1:]))
"""


def importing(url: str, address: str) -> subprocess.Popen[str]:
    command = (sys.executable, "-c", IMPORT, url, address)
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.fixture
async def records(old: OldDatabase) -> None:
    """Records that name and supersede one another."""
    await old.run(
        "CREATE TABLE artifacts (identifier text PRIMARY KEY, body text, created_at date, supersedes text)"
    )
    await old.run(
        "INSERT INTO artifacts SELECT 'ADR-' || n, 'See ADR-' || n % 40 + 1, date '2024-01-01' + n,"
        " CASE WHEN n % 3 = 0 THEN 'ADR-' || n - 1 END FROM generate_series(1, 40) AS n"
    )


@pytest.mark.usefixtures("records")
async def test_an_import_killed_and_run_again_leaves_the_same_ledger(
    database_url: str, old: OldDatabase, desk: ProjectFixture, migrated: Migrated
) -> None:
    with importing(database_url, old.url) as process:
        assert process.stdout is not None
        while process.stdout.readline().strip() not in ("7", ""):
            pass
        process.kill()
    killed = await counts(database_url)
    assert 7 <= killed[0] < DOCUMENTS
    with importing(database_url, old.url) as again:
        await asyncio.to_thread(again.communicate)
    assert again.returncode == 0
    resumed = await counts(database_url)
    assert (resumed[0], resumed[1]) == (DOCUMENTS, DOCUMENTS)
    whole = await migrated()
    assert (whole.filed, whole.refused) == (DOCUMENTS, [])
    assert resumed[3] == len(await edges(desk))


@pytest.mark.usefixtures("records")
async def test_a_stop_lets_the_documents_at_hand_end_and_the_next_run_goes_on(
    desk: ProjectFixture, old: OldDatabase, migrated: Migrated
) -> None:
    stop = asyncio.Event()
    memory = desk.memory

    def watch(summary: ImportSummary) -> None:
        if summary.filed == 3:
            stop.set()

    service = memory.table_imports
    request = TableRequest(old.url, "artifacts", desk.project)
    stopped = await service.run(memory.caller, request, stop=stop, watch=watch)
    assert (stopped.was_stopped, stopped.total) == (True, DOCUMENTS)
    assert 3 <= stopped.filed <= 6
    again = await migrated()
    assert (again.filed + again.unchanged, again.unchanged) == (DOCUMENTS, stopped.filed)


@pytest.mark.usefixtures("records")
async def test_a_source_that_is_gone_ends_the_import_and_what_was_filed_stays(
    desk: ProjectFixture, old: OldDatabase, migrated: Migrated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "MAX_BATCH_SIZE", 2)  # so that not all is read before anything is filed
    memory = desk.memory
    struck: list[asyncio.Task[None]] = []

    def watch(summary: ImportSummary) -> None:
        if summary.filed == 2 and not struck:
            strike = old.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            struck.append(asyncio.create_task(strike))

    service = replace(memory, import_width=1).table_imports
    with pytest.raises(Unavailable) as failed:
        await service.run(memory.caller, TableRequest(old.url, "artifacts", desk.project), watch=watch)
    await asyncio.gather(*struck)
    assert failed.value.message.startswith("the connection to the source database broke: ")
    assert failed.value.message.endswith(
        " documents were filed before that: run the import again to continue"
    )
    again = await migrated()
    assert again.unchanged >= 2
    assert again.filed + again.unchanged == DOCUMENTS
