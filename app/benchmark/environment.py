"""Temporary homes with an embedded server, and a service on them."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np

from app.benchmark.corpus import Body
from app.embedding import Embedder, Vector, Vectors
from app.errors import TrigraphError, Unavailable
from app.resources import PACKAGE
from app.settings import Settings
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.embedded.server import EmbeddedPostgres
from app.stores.postgres.location import locate_ledger

_HURRIED = {
    "synchronous_commit": "off",
    "fsync": "off",
    "full_page_writes": "off",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "30min",
}


@asynccontextmanager
async def scratch_home(settings: Settings) -> AsyncIterator[Settings]:
    """Start a server in a new folder and yield settings that differ only in their home.

    Server and folder are removed when the block ends, however it ends.
    """
    with tempfile.TemporaryDirectory(prefix="trigraph-bench-", ignore_cleanup_errors=True) as name:
        starting = asyncio.ensure_future(asyncio.to_thread(EmbeddedPostgres.start, Path(name)))
        try:
            embedded = await asyncio.shield(starting)
        except asyncio.CancelledError:
            # A thread cannot be called back: what it starts is stopped as soon as it is there.
            with suppress(TrigraphError):
                (await starting).stop()
            raise
        try:
            yield settings.model_copy(update={"home": Path(name), "database_url": None})
        finally:
            await asyncio.to_thread(embedded.stop)


@asynccontextmanager
async def fast_writes(settings: Settings) -> AsyncIterator[None]:
    """Turn off the scratch server's waits for its disk during the block; a crash may lose its data."""
    location = await locate_ledger(settings)
    try:
        async with owner_connection(location.url) as owner:
            for setting, value in _HURRIED.items():
                await owner.execute(f"ALTER SYSTEM SET {setting} = '{value}'")
            await owner.execute("SELECT pg_reload_conf()")
            yield
            await owner.execute("ALTER SYSTEM RESET ALL")
            await owner.execute("SELECT pg_reload_conf()")
    finally:
        await location.close()


_START_SECONDS = 60.0
_STOP_SECONDS = 20.0
_ADDRESS = re.compile(rb"GraphQL is available at (http://\S+)")


@asynccontextmanager
async def serve_ledger(home: Path, workers: int = 1) -> AsyncIterator[str]:
    """Serve the ledger of a home and yield the address of its GraphQL API; stop the service at the end.

    Raises Unavailable, with the service's output, when it does not start.
    """
    # Safe paths, for the folder that people happen to be in may hold another `app`.
    words = (sys.executable, "-P", "-m", "app", "serve", "--port", "0", "--workers", str(workers))
    process = await asyncio.create_subprocess_exec(*words, env=_variables(home), stdout=DEVNULL, stderr=PIPE)
    reading = None
    try:
        url = await asyncio.wait_for(_address(process, workers), _START_SECONDS)
        reading = asyncio.create_task(_drain(process))
        yield url
    except TimeoutError as error:
        raise Unavailable(f"`trigraph serve` did not start within {_START_SECONDS:g} seconds") from error
    finally:
        await _stop(process)
        if reading is not None:
            await reading


def _variables(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "TRIGRAPH_DATABASE_URL"}
    places = os.pathsep.join(filter(None, (str(PACKAGE.parent), kept.get("PYTHONPATH"))))
    return kept | {"PYTHONPATH": places, "TRIGRAPH_HOME": str(home), "TRIGRAPH_LOG_LEVEL": "INFO"}


async def _address(process: Process, workers: int) -> str:
    """Return the service's address, once each of its workers has printed it."""
    assert process.stderr is not None
    said = []
    opened = 0
    async for line in process.stderr:
        if (found := _ADDRESS.search(line)) is not None:
            opened += 1
            if opened == workers:
                return found[1].decode()
        said.append(line.decode(errors="replace"))
    raise Unavailable(f"`trigraph serve` did not start: {''.join(said[-3:]).strip()}")


async def _drain(process: Process) -> None:
    """Read the process's output, so that it never blocks on a full pipe."""
    assert process.stderr is not None
    while await process.stderr.read(1 << 16):
        pass


async def _stop(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _STOP_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()


class BorrowedEmbedder:
    """An embedder that delegates to another one, which its owner closes."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.fingerprint = embedder.fingerprint
        self.dimensions = embedder.dimensions
        self.longest_passage = embedder.longest_passage
        self.piece_offsets = embedder.piece_offsets

    async def embed_query(self, text: str) -> Vector:
        """Return the other embedder's result."""
        return await self._embedder.embed_query(text)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return the other embedder's result."""
        return await self._embedder.embed_passages(texts)

    async def close(self) -> None:
        """Do nothing: the owner closes the other embedder."""


REAL = 10_000
"""Of fewer, a hundred thousand texts would be crowds of near twins, in which an index finds its way badly."""

NOISE = 0.3
_NOISE_OF = 8
_SHARES = (0.5, 0.9)


class SyntheticEmbedder(BorrowedEmbedder):
    """The encoder for questions; for passages, mixtures of two real unit vectors with noise.

    Only the text seeds the mixture. The noise varies as real vectors do: uniform noise in hundreds of
    dimensions would put every text equally far from all others.
    """

    def __init__(self, embedder: Embedder, real: Vectors) -> None:
        super().__init__(embedder)
        self._real = real
        self._deviations = real - real.mean(axis=0)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return a mixture for each text, the same for the same text."""
        return np.stack([self._mix(text) for text in texts])

    def _mix(self, text: str) -> Vector:
        seed = blake2b(text.encode(), digest_size=8).digest()
        random = np.random.default_rng(int.from_bytes(seed))
        first, second = self._real[random.integers(len(self._real), size=2)]
        share = random.uniform(*_SHARES)
        varied = self._deviations[random.integers(len(self._real), size=_NOISE_OF)]
        noise = random.normal(size=_NOISE_OF) @ varied
        mixed = share * first + (1 - share) * second + NOISE * noise / np.linalg.norm(noise)
        unit: Vector = (mixed / np.linalg.norm(mixed)).astype(np.float32)
        return unit


async def open_synthetic(embedder: Embedder, stretches: Sequence[Body]) -> SyntheticEmbedder:
    """Embed some stretches, and return an embedder that mixes their vectors."""
    texts = [" ".join(stretch.paragraphs) for stretch in islice(stretches, REAL)]
    made = await asyncio.gather(*(embedder.embed_passages([text]) for text in texts))
    return SyntheticEmbedder(embedder, np.concatenate(made))
