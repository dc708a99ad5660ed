from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

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
