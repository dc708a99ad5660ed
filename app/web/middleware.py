"""Requests and the event loop, timed while the service runs."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from time import perf_counter
from typing import TYPE_CHECKING

from app.metrics import note_lag, note_request

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLL_INTERVAL = 0.5
OTHER = "other"
_FAILED = 500


class Measured:
    """An application as it is, whose requests are counted by path; paths that it does not know are one."""

    def __init__(self, app: ASGIApp, paths: Collection[str]) -> None:
        self._app = app
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Return one request and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = _FAILED
        started = perf_counter()

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, told)
        finally:
            path = scope["path"] if scope["path"] in self._paths else OTHER
            note_request(path, status, perf_counter() - started)


async def watch_loop() -> None:
    """Count twice a second, until cancelled, by how much the event loop is late."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + POLL_INTERVAL
        await asyncio.sleep(POLL_INTERVAL)
        note_lag(max(0.0, loop.time() - due))
