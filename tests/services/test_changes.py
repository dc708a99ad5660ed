"""Followers of changes: each sees every change once and in order, however slow it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from itertools import count

import pytest

from app.errors import Busy, Interrupted, Unauthenticated
from app.services import changes
from app.services.changes import Change, ChangeFeed, FollowRequest
from app.services.container import Memory
from app.services.entities import StatedEntity

PROJECT = "followed"
_NUMBERS = count(1)


async def stay() -> None:
    """Let whoever asks follow."""


async def create(memory: Memory) -> int:
    """Return the position after a new entity."""
    stated = StatedEntity("Component", {"name": f"Part {next(_NUMBERS)}"}, None)
    made = await memory.canonical.create_entity(memory.caller, stated, PROJECT, None)
    assert made.position is not None
    return made.position


def follow(memory: Memory, after: int) -> AsyncGenerator[Change, None]:
    return memory.changes.follow(memory.caller, FollowRequest(PROJECT, after=str(after)), stay)


async def positions_until(memory: Memory, after: int, last: int, pause: int) -> list[int]:
    """Return the positions that a follower sees; it lets the others run that often between two of them."""
    seen: list[int] = []
    async with aclosing(follow(memory, after)) as followed:
        async for change in followed:
            seen.append(change.position)
            if change.position >= last:
                return seen
            for _ in range(pause):
                await asyncio.sleep(0)
    return seen


async def test_every_follower_sees_each_change_once(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a short memory and small steps, so that they fall behind, read the outbox and come back."""
    monkeypatch.setattr(changes, "MAX_RECENT", 5)
    monkeypatch.setattr(changes, "CHANGES_AT_ONCE", 4)
    starts = [await create(memory) for _ in range(4)]
    last = starts[-1] + 3 * 8
    pauses = (0, 1, 20, 200)
    following = [
        asyncio.create_task(positions_until(memory, start, last, pause))
        for start in starts
        for pause in pauses
    ]
    for _ in range(8):
        position = await create(memory)
        memory.feed.wake()
    assert position == last
    seen = await asyncio.gather(*following)
    for start, positions in zip((start for start in starts for _ in pauses), seen, strict=True):
        assert positions == list(range(start + 1, last + 1))
    assert (memory.feed.followers, memory.feed.tails) == (set(), {})


async def test_a_follower_that_takes_too_long_is_ended_where_it_can_go_on(memory: Memory) -> None:
    first = await create(memory)
    last = await create(memory)
    slow = replace(memory, feed=ChangeFeed(seconds_to_take=0))
    async with aclosing(follow(slow, first)) as followed:
        change = await anext(followed)
        with pytest.raises(Interrupted) as ended:
            await anext(followed)
    assert ended.value.resume_after == change.position
    assert await positions_until(memory, ended.value.resume_after, last, 0) == list(
        range(change.position + 1, last + 1)
    )


async def test_whoever_is_no_longer_known_is_ended(memory: Memory) -> None:
    async def refuse() -> None:
        raise Unauthenticated("the token is revoked")

    checking = asyncio.create_task(memory.feed.check_callers())
    async with aclosing(memory.changes.follow(memory.caller, FollowRequest(), refuse)) as followed:
        with pytest.raises(Unauthenticated):
            await anext(followed)
    checking.cancel()


async def test_only_so_many_follow(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    position = await create(memory)
    monkeypatch.setattr(changes, "MAX_FOLLOWERS", 1)
    async with aclosing(follow(memory, position - 1)) as followed:
        await anext(followed)
        with pytest.raises(Busy):
            await positions_until(memory, position - 1, position, 0)
    assert await positions_until(memory, position - 1, position, 0) == [position]
