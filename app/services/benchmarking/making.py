"""Documents made in a process of their own, while those before them are filed.

Making one reads its Markdown, as an import does before anything is filed: that is not what filing costs.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from app.domain.artifact import Document
from app.services.benchmarking.corpus import SEED, read_corpus
from app.services.benchmarking.documents import Body, made_of


@dataclass(frozen=True, slots=True)
class Made:
    """A document, its number and the body it was made of."""

    number: int
    body: Body
    document: Document


class Making:
    """Makes documents, the same ones in every run that asks for the same numbers in turn."""

    def __init__(self, maker: Connection) -> None:
        self._maker = maker

    def begin(self, numbers: Iterable[int]) -> asyncio.Task[list[Made]]:
        """Begin to make documents of these numbers; what was begun before has to be awaited first."""
        self._maker.send(list(numbers))
        return asyncio.create_task(asyncio.to_thread(self._maker.recv))


@asynccontextmanager
async def making(documents: int, corpora: Path | None) -> AsyncIterator[Making]:
    """Give what makes the documents of a run of so many; its process is gone when the block ends."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_make, args=(there, documents, corpora), daemon=True)
    process.start()
    there.close()
    try:
        yield Making(here)
    finally:
        process.terminate()
        await asyncio.to_thread(process.join)
        here.close()


def _make(asked: Connection, documents: int, corpora: Path | None) -> None:
    """Make what is asked for until nobody does; an interrupt is for whoever asked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, random = read_corpus(documents, corpora).bodies(), Random(SEED)
    with suppress(EOFError):
        while True:
            pairs = zip(asked.recv(), source, strict=False)
            asked.send(
                [Made(number, body, made_of(body, number, documents, random)) for number, body in pairs]
            )
