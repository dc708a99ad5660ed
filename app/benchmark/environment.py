"""Temporary homes with an embedded server, and a service on them."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

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
