from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from app.embedding.worker_threads import PASSAGE_NICENESS, Lanes


@pytest_asyncio.fixture
async def lanes() -> AsyncIterator[Lanes]:
    opened = Lanes(2)
    yield opened
    await opened.close()


async def test_results_come_in_the_order_of_the_jobs(lanes: Lanes) -> None:
    assert await lanes.passages(lambda number: number * 2, range(100)) == list(range(0, 200, 2))


async def test_work_runs_outside_the_thread_of_the_event_loop(lanes: Lanes) -> None:
    threads = await lanes.passages(lambda _: threading.get_ident(), range(8))
    threads.append(await lanes.query(lambda _: threading.get_ident(), 0))
    assert threading.get_ident() not in threads


async def test_passages_give_way_to_questions_and_to_the_event_loop(lanes: Lanes) -> None:
    def niceness(_: int) -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id() if sys.platform == "linux" else 0)

    before = niceness(0)
    passages = await lanes.passages(niceness, range(8))
    expected = max(before, PASSAGE_NICENESS) if sys.platform == "linux" else before
    assert set(passages) == {expected}
    assert await lanes.query(niceness, 0) == niceness(0) == before


async def test_a_question_is_answered_while_every_passage_thread_is_held(lanes: Lanes) -> None:
    gate = threading.Event()
    held = asyncio.create_task(lanes.passages(lambda _: gate.wait(30), range(6)))
    try:
        assert await lanes.query(str, 7) == "7"
        assert not held.done()
    finally:
        gate.set()
    assert await held == [True] * 6


async def test_a_small_call_does_not_wait_for_the_whole_of_a_large_one(lanes: Lanes) -> None:
    started: list[str] = []
    large = asyncio.create_task(lanes.passages(lambda n: started.append(f"large {n}"), range(500)))
    await asyncio.sleep(0)
    await lanes.passages(started.append, ["small"])
    await large
    assert started.index("small") < 400


async def test_the_failure_of_a_job_is_raised_as_it_is(lanes: Lanes) -> None:
    with pytest.raises(ZeroDivisionError):
        await lanes.passages(lambda number: 1 // number, [2, 1, 0, 1])


async def test_a_cancelled_call_begins_no_further_job(lanes: Lanes) -> None:
    gate = threading.Event()
    both_threads_work = threading.Barrier(3)
    begun: list[int] = []

    def work(number: int) -> None:
        begun.append(number)
        both_threads_work.wait(30)
        gate.wait(30)

    call = asyncio.create_task(lanes.passages(work, range(100)))
    await asyncio.to_thread(both_threads_work.wait, 30)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    gate.set()
    await lanes.passages(str, range(4))
    assert sorted(begun) == [0, 1]
