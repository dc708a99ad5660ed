"""The served application at startup."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.types import Message

from app.cli.server import StartupReporter
from app.errors import TrigraphError


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
