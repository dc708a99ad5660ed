from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from app.errors import Unavailable

Job = TypeVar("Job")
Result = TypeVar("Result")


class Lanes:
    """Two sets of threads, so that a question never queues behind the filing of documents.

    Passages go in small jobs, and a call has no more of them under way than there are threads:
    calls that run at the same time take turns, and one that is cancelled stops soon.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._queries = ThreadPoolExecutor(threads, thread_name_prefix="embed-query")
        self._passages = ThreadPoolExecutor(threads, thread_name_prefix="embed-passage")
        self._closed = False

    async def query(self, work: Callable[[Job], Result], job: Job) -> Result:
        """Do one job in the lane of the questions; Unavailable when closed."""
        return await self._do(self._queries, work, job)

    async def passages(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> list[Result]:
        """Do every job in the lane of the passages and answer the results in the order of the jobs.

        Raises what the first failing job raised, Unavailable when closed.
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
        """Refuse further jobs, let those under way end and free the threads."""
        self._closed = True
        for lane in (self._queries, self._passages):
            await asyncio.to_thread(lane.shutdown)

    async def _do(self, lane: ThreadPoolExecutor, work: Callable[[Job], Result], job: Job) -> Result:
        if self._closed:
            raise Unavailable("the embedder is closed; open another one")
        return await asyncio.get_running_loop().run_in_executor(lane, work, job)
