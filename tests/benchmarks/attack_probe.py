"""Asking a server every few milliseconds if it lives, from another process: how long its loop is busy."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import monotonic, sleep
from urllib.parse import urlsplit

PAUSE = 0.005


class Probe:
    """What the other process measured, asked for by stretches of the clock that both share."""

    def __init__(self, prober: Connection) -> None:
        self._prober = prober

    async def longest(self, started: float, ended: float) -> float:
        """Return the milliseconds of the slowest answer that was waited for in a stretch of time."""
        self._prober.send((started, ended))
        found: float = await asyncio.to_thread(self._prober.recv)
        return found


@asynccontextmanager
async def probing(url: str) -> AsyncIterator[Probe]:
    """Probe the server of an address while the block runs."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_probe, args=(there, url), daemon=True)
    process.start()
    there.close()
    try:
        yield Probe(here)
    finally:
        process.terminate()
        await asyncio.to_thread(process.join)
        here.close()


def _probe(asked: Connection, url: str) -> None:
    """Ask and ask, and answer between two answers what is asked here."""
    client = http.client.HTTPConnection(urlsplit(url).netloc, timeout=120)
    measured: list[tuple[float, float]] = []
    while True:
        began = monotonic()
        client.request("GET", "/healthz")
        client.getresponse().read()
        measured.append((began, monotonic()))
        if asked.poll():
            started, ended = asked.recv()
            measured = [each for each in measured if each[1] >= started]
            took = [after - before for before, after in measured if before <= ended]
            asked.send(max(took, default=0.0) * 1000)
        sleep(PAUSE)
