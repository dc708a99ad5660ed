"""A real `trigraph serve` on the scratch ledger, in processes of its own."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from app.errors import Unavailable
from app.resources import PACKAGE

_START_SECONDS = 60.0
_STOP_SECONDS = 20.0
_ADDRESS = re.compile(rb"GraphQL answers at (http://\S+)")


@asynccontextmanager
async def served(home: Path, workers: int = 1) -> AsyncIterator[str]:
    """Serve the ledger of a home and give the address of its GraphQL API; stop the service at the end.

    Raises Unavailable, with what it said, when it does not start.
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
    """Answer where it answers, once each of its workers has said so."""
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
    """Read what the process says, or it would wait for somebody to do so."""
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
