"""Documents made to hurt, each filed while another writer files short ones and the loop is watched.

`python -m tests.benchmarks.hurtful_documents [CHARACTERS [SHAPE ...]]` takes a home of its own, and an
encoder that takes no time: the real one works in threads beside the loop.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from time import perf_counter, thread_time

from app.errors import TrigraphError
from app.services.container import Memory, open_memory
from app.services.filing import StatedDocument, read_stated
from app.settings import Settings
from tests.documents import adr
from tests.hurtful import SHAPES
from tests.services.filing.test_sizes import HastyEmbedder

CHARACTERS = 900_000
_NUMBERS = count(1)


@dataclass
class Seen:
    """What others noticed: how late the loop was, its longest round of work, and the longest other write."""

    stall: float = 0.0
    work: float = 0.0
    write: float = 0.0
    is_over: bool = False

    async def watch(self) -> None:
        """Look how late the loop comes back, and what it worked meanwhile."""
        worked = thread_time()
        while True:
            before = perf_counter()
            await asyncio.sleep(0.001)
            now = thread_time()
            self.stall = max(self.stall, perf_counter() - before - 0.001)
            self.work, worked = max(self.work, now - worked), now

    async def write_beside(self, memory: Memory) -> None:
        """File one short document after the other."""
        while not self.is_over:
            number = next(_NUMBERS)
            before = perf_counter()
            await memory.filing.file(memory.caller, adr(number, f"Short {number}"), "p")
            self.write = max(self.write, perf_counter() - before)


@asynccontextmanager
async def seen(memory: Memory) -> AsyncIterator[Seen]:
    """Yield what others notice while the block lasts."""
    noticed = Seen()
    watching = asyncio.create_task(noticed.watch())
    writing = asyncio.create_task(noticed.write_beside(memory))
    yield noticed
    noticed.is_over = True
    await writing  # the last one may wait for the document to be written
    watching.cancel()


async def measure(memory: Memory, name: str, characters: int) -> str:
    """Return one line on a shape."""
    body = SHAPES[name](characters)
    before = perf_counter()
    async with seen(memory) as noticed:
        stated = StatedDocument("ADR", body, identifier=f"ADR-{900_000 + next(_NUMBERS)}")
        try:
            document = await read_stated(stated, frozenset())
            filed = await memory.filing.file(memory.caller, document, "p")
            outcome = "; ".join(filed.warnings)
        except TrigraphError as refusal:
            outcome = f"refused: {refusal.message}"
        seconds = perf_counter() - before
    return (
        f"{name:24} {seconds:6.1f} s  stall {noticed.stall * 1000:4.0f} ms"
        f"  work {noticed.work * 1000:4.0f} ms  other write {noticed.write:5.2f} s"
        f"  {outcome[:100]}"
    )


async def run(characters: int, names: list[str]) -> None:
    """Print a line for each shape."""
    with tempfile.TemporaryDirectory(prefix="trigraph-") as home:
        async with open_memory(Settings(home=Path(home))) as memory:
            embedder = HastyEmbedder(memory.embedder)
            quick = replace(memory, embedder=embedder)
            await measure(quick, "facts", 1_000)
            for name in names:
                print(await measure(quick, name, characters), flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(run(int(sys.argv[1]) if sys.argv[1:] else CHARACTERS, sys.argv[2:] or list(SHAPES)))
