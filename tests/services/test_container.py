from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import pytest

from app.domain.recall import RecallRequest
from app.errors import Unavailable
from app.graphql.context import Context
from app.services.container import Memory, open_memory
from app.settings import Settings
from tests.documents import adr, file


async def _recalled(memory: Memory) -> list[str | None]:
    """Ask until the ledger answers, or fail with what it says after a minute."""
    for _ in range(120):
        try:
            result = await memory.recall.recall(memory.caller, RecallRequest("queue"))
        except Unavailable:
            await asyncio.sleep(0.5)
        else:
            return [hit.artifact.identifier for hit in result.hits]
    pytest.fail("the ledger did not come back")


async def test_a_service_outlives_the_death_of_its_embedded_server() -> None:
    with tempfile.TemporaryDirectory(prefix="trigraph-") as folder:
        async with open_memory(Settings(home=Path(folder))) as memory:
            await file(memory, adr(1, "Queue"))
            first_line = (Path(folder) / "postgres" / "postmaster.pid").read_text().splitlines()[0]
            os.kill(int(first_line), signal.SIGKILL)
            assert await _recalled(memory) == ["ADR-1"]
            assert (await file(memory, adr(2, "Another queue"))).created


def test_requests_share_the_services_of_the_process(memory: Memory) -> None:
    services = {name for name, value in vars(Memory).items() if isinstance(value, cached_property)}
    asked = vars(Context(memory)).keys() & services
    assert len(asked) > 5
    for name in asked:
        assert getattr(Context(memory), name) is getattr(Context(memory), name), name
    for name in services:
        assert getattr(memory, name) is getattr(memory, name), name


def test_a_memory_with_another_part_has_services_of_its_own(memory: Memory) -> None:
    wider = replace(memory, import_width=memory.import_width + 1)
    assert wider.imports is not memory.imports
    assert wider.database is memory.database
