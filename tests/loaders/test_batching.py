from __future__ import annotations

import asyncio
import gc
from uuid import UUID

import pytest

from app.errors import Busy
from app.loaders.batching import IndependentLoader


async def test_one_who_is_cancelled_takes_the_value_from_nobody_else() -> None:
    began, may_end = asyncio.Event(), asyncio.Event()

    async def read(keys: list[UUID]) -> list[UUID]:
        began.set()
        await may_end.wait()
        return keys

    loader = IndependentLoader(load_fn=read)
    key = UUID(int=1)

    async def ask() -> UUID:
        return await loader.load(key)

    leaving, staying = asyncio.create_task(ask()), asyncio.create_task(ask())
    await began.wait()
    leaving.cancel()
    may_end.set()
    assert await staying == key
    with pytest.raises(asyncio.CancelledError):
        await leaving


async def test_a_failure_that_nobody_waits_for_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(keys: list[UUID]) -> list[UUID]:
        raise Busy("no connection became free")

    loader = IndependentLoader(load_fn=fail)
    asked = [loader.load(UUID(int=1)), loader.load(UUID(int=1))]
    with pytest.raises(Busy):
        await asked.pop()
    del asked, loader
    gc.collect()
    assert caplog.records == []
