"""The served application at startup."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
from starlette.applications import Starlette
from starlette.types import Message

from app.cli.server import StartupReporter
from app.errors import TrigraphError
from tests.cli.processes import Shell


@pytest.fixture
def unfrozen() -> Iterator[None]:
    """Give what a test froze back to the garbage collector."""
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("unfrozen")
async def test_full_collections_skip_what_startup_made() -> None:
    failures: list[TrigraphError] = []
    app = StartupReporter(Starlette(), "http://127.0.0.1:8000/graphql", failures.append)
    received = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])
    frozen = {}

    async def receive() -> Message:
        return next(received)

    async def send(message: Message) -> None:
        frozen[message["type"]] = gc.get_freeze_count()

    assert gc.get_freeze_count() == 0
    await app({"type": "lifespan", "state": {}}, receive, send)
    assert frozen["lifespan.startup.complete"] > 10_000
    assert failures == []


class NotOfTheFamily(Exception):
    """An error at startup that nobody expects."""


async def test_an_unexpected_failure_to_start_is_told_and_ends_the_server(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @asynccontextmanager
    async def fails(app: Starlette) -> AsyncIterator[None]:
        if app.routes == []:
            raise NotOfTheFamily("permission denied for table tenant")
        yield

    failures: list[TrigraphError] = []
    app = StartupReporter(Starlette(lifespan=fails), "http://127.0.0.1:8000/graphql", failures.append)
    sent: list[str] = []

    async def receive() -> Message:
        return {"type": "lifespan.startup"}

    async def send(message: Message) -> None:
        sent.append(message["type"])

    await app({"type": "lifespan", "state": {}}, receive, send)
    assert sent == ["lifespan.startup.failed"]
    (failure,) = failures
    assert (
        failure.message == "the service could not start: NotOfTheFamily: permission denied for table tenant"
    )
    assert "NotOfTheFamily" in caplog.text
    assert "Traceback" in caplog.text


async def test_a_ledger_that_fails_at_the_start_ends_the_service_with_its_reason(
    database_url: str, tmp_path: Path
) -> None:
    owner = await asyncpg.connect(database_url)
    try:
        await owner.execute("ALTER TABLE embedding_model RENAME TO away")
    finally:
        await owner.close()
    for workers in ([], ["--workers", "2"]):
        ran = await asyncio.to_thread(
            Shell(tmp_path, {}).run, "serve", "--port", "0", *workers, TRIGRAPH_DATABASE_URL=database_url
        )
        assert (ran.code, ran.out) == (1, "")
        assert 'relation "embedding_model" does not exist' in ran.err
    looked = await asyncio.to_thread(Shell(tmp_path, {}).run, "doctor", TRIGRAPH_DATABASE_URL=database_url)
    assert looked.code == 1
    assert 'relation "embedding_model" does not exist' in looked.out
