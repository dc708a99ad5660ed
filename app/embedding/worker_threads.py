from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from app.errors import Unavailable

Job = TypeVar("Job")
Result = TypeVar("Result")

PASSAGE_NICENESS = 10
"""The priority of the threads that embed passages; 0 is the priority of everything else, 19 the lowest."""


class Lanes:
    """Two thread pools, so that a question never waits for the filing of documents.

    The threads for passages give way to the event loop, to questions and to the database. Passages are
    embedded in small jobs, and a call has no more jobs in progress than there are threads: concurrent calls
    take turns, and a cancelled call stops soon.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._queries = ThreadPoolExecutor(threads, thread_name_prefix="embed-query")
        self._passages = ThreadPoolExecutor(
            threads, thread_name_prefix="embed-passage", initializer=_lower_priority
        )
        self._closed = False

    async def query(self, work: Callable[[Job], Result], job: Job) -> Result:
        """Run one job in the thread pool for questions; raise Unavailable when closed."""
        return await self._do(self._queries, work, job)

    async def passages(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> list[Result]:
        """Run every job in the thread pool for passages and return the results in the order of the jobs.

        Raises the error of the first failing job, and Unavailable when closed.
        """
        remaining = enumerate(jobs)
        results: dict[int, Result] = {}

        async def worker() -> None:
            for number, job in remaining:
                results[number] = await self._do(self._passages, work, job)

        try:
            async with asyncio.TaskGroup() as workers:
                for _ in range(self._threads):
                    workers.create_task(worker())
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return [results[number] for number in sorted(results)]

    async def close(self) -> None:
        """Refuse further jobs, wait for those in progress and free the threads."""
        self._closed = True
        for lane in (self._queries, self._passages):
            await asyncio.to_thread(lane.shutdown)

    async def _do(self, lane: ThreadPoolExecutor, work: Callable[[Job], Result], job: Job) -> Result:
        if self._closed:
            raise Unavailable("the embedder is closed; open another one")
        return await asyncio.get_running_loop().run_in_executor(lane, work, job)


def _lower_priority() -> None:
    """Lower the priority of the calling thread where a thread has one of its own, which is on Linux."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        niceness = max(PASSAGE_NICENESS, os.getpriority(os.PRIO_PROCESS, thread))
        os.setpriority(os.PRIO_PROCESS, thread, niceness)
