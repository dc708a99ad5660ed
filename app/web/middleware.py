"""Measure requests and the lag of the event loop while the service runs."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from time import perf_counter
from typing import TYPE_CHECKING

from app.metrics import record_lag, record_request

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLL_INTERVAL = 0.5
OTHER = "other"
_FAILED = 500


class RequestMetrics:
    """Middleware that counts and times requests by path; all unknown paths count as one."""

    def __init__(self, app: ASGIApp, paths: Collection[str]) -> None:
        self._app = app
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and record its status and duration."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = _FAILED
        started = perf_counter()

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        finally:
            path = scope["path"] if scope["path"] in self._paths else OTHER
            record_request(path, status, perf_counter() - started)


async def measure_loop_lag() -> None:
    """Record the lag of the event loop twice a second, until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + POLL_INTERVAL
        await asyncio.sleep(POLL_INTERVAL)
        record_lag(max(0.0, loop.time() - due))
