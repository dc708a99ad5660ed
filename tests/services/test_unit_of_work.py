"""The unit of work: rows are buffered in sight, and a connection does only what it is told."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from app.domain.numbers import ArtifactNumber, ProjectNumber
from app.services.container import Memory
from app.services.unit_of_work import UnitOfWork, unit_of_work
from app.stores.postgres import references
from app.stores.postgres.lexical import postings
from app.stores.postgres.write_buffer import WriteBuffer

SERVICES = Path(__file__).parents[2] / "app/services"
RAW = {"unit_of_work.py", "importing/history/write.py"}
"""The unit of work itself, and the write of histories, which has no buffer."""


class Undone(Exception):
    """Raised to write nothing."""


class Statements:
    """The statements of a connection, by their first lines; the driver reports them a moment later."""

    def __init__(self) -> None:
        self._noted: list[str] = []

    def note(self, query: Any) -> None:
        first = query.query.partition("\n")[0]
        if first.startswith(("-- ", "SELECT ")):  # the others are the driver's, about types
            self._noted.append(first)

    async def take(self) -> list[str]:
        """Return the statements since the last time."""
        await asyncio.sleep(0)
        taken, self._noted = self._noted, []
        return taken


@asynccontextmanager
async def undone(
    memory: Memory, statements: Statements, buffer: WriteBuffer | None
) -> AsyncIterator[UnitOfWork]:
    """Yield a write that is rolled back, and note its statements."""
    with memory.database.logging(statements.note), suppress(Undone):
        async with unit_of_work(memory.database, memory.caller) as write:
            await statements.take()
            yield replace(write, buffer=buffer)
            raise Undone


async def insert(write: UnitOfWork) -> None:
    """Insert a row that recall reads, and one that the same write may read."""
    project, artifact = ProjectNumber(1), ArtifactNumber(2**40)
    await postings.insert_postings(write.rows, write.tenant, project, artifact, {"zebra": 1}, 1)
    await references.close_pending(write.rows, write.tenant, [uuid4()], write.recorded_at)


async def test_a_connection_writes_no_row_that_nobody_told_it_to(shared_memory: Memory) -> None:
    """The rows of a buffer were written before any statement of the driver's connection."""
    statements = Statements()
    async with undone(shared_memory, statements, WriteBuffer()) as write:
        await insert(write)
        assert await write.connection.fetchval("SELECT 1") == 1
        assert await statements.take() == ["SELECT 1"]


async def test_a_flush_writes_what_can_be_read_and_a_searched_one_everything(shared_memory: Memory) -> None:
    statements = Statements()
    async with undone(shared_memory, statements, WriteBuffer()) as write:
        await insert(write)
        assert await write.flush() is write.connection
        assert len(await statements.take()) == 1
        found = "SELECT count(*) FROM posting WHERE term = 'zebra' AND artifact_number = $1"
        assert await (await write.flush()).fetchval(found, 2**40) == 0
        assert await (await write.flush(searched=True)).fetchval(found, 2**40) == 1
        await statements.take()
        await write.flush(searched=True)
        assert not await statements.take()


async def test_without_a_buffer_rows_are_written_at_once(shared_memory: Memory) -> None:
    statements = Statements()
    async with undone(shared_memory, statements, None) as write:
        await insert(write)
        assert len(await statements.take()) == 3
        assert await write.flush() is write.connection
        assert not await statements.take()


def test_services_read_through_flush() -> None:
    """A step that reads through `write.connection` would miss the rows that are still buffered."""
    reading = re.compile(r"\bwrite\.connection\b")
    paths = [path for path in SERVICES.rglob("*.py") if str(path.relative_to(SERVICES)) not in RAW]
    assert len(paths) > 50
    assert [path.name for path in paths if reading.search(path.read_text(encoding="utf-8"))] == []
