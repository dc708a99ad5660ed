from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import asyncpg
import pytest

from app.services.importing import ImportSummary
from app.services.importing.table import TableRequest
from tests.conftest import Server
from tests.documents import ProjectFixture

Migrated: TypeAlias = Callable[..., Awaitable[ImportSummary]]


@dataclass(frozen=True, slots=True)
class OldDatabase:
    """The database of an older system, and a connection of its owner."""

    url: str
    connection: asyncpg.Connection

    async def run(self, statement: str, *values: Any) -> None:
        await self.connection.execute(statement, *values)


@pytest.fixture
async def old(server: Server) -> AsyncIterator[OldDatabase]:
    name = await server.create()
    connection = await asyncpg.connect(server.url_of(name))
    yield OldDatabase(server.url_of(name), connection)
    await connection.close()
    await server.drop(name)


@pytest.fixture
def migrated(desk: ProjectFixture, old: OldDatabase) -> Migrated:
    """Import a table of the older system into the test's own project."""

    async def run(table: str = "artifacts", width: int = 3, **asked: Any) -> ImportSummary:
        memory = desk.memory
        service = replace(memory, import_width=width).table_imports
        address = asked.pop("address", old.url)
        return await service.run(memory.caller, TableRequest(address, table, desk.project, **asked))

    return run


def refused(summary: ImportSummary) -> dict[str, str]:
    """Return why each row was refused, by its place."""
    return {refusal.source: refusal.reason for refusal in summary.refused}
