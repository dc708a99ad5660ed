"""The application while it opens: its address is told, and whoever serves it is told of a failure."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.errors import TrigraphError
from app.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

GRACE = 10
"""Seconds that requests have to end in when the service does."""

_LOG = logging.getLogger("trigraph")


class Opening:
    """An application as it is, but for an expected failure to open: that is no fault with a trace."""

    def __init__(self, app: ASGIApp, url: str, failed: Callable[[TrigraphError], None]) -> None:
        self._app = app
        self._url = url
        self._failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or open and close the application."""
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return

        async def told(message: Message) -> None:
            if message["type"] == "lifespan.startup.complete":
                _LOG.info("GraphQL answers at %s", self._url)
            if message["type"] == "lifespan.startup.failed":
                return  # it quotes the trace; what to say depends on what is raised next
            await send(message)

        try:
            await self._app(scope, receive, told)
        except TrigraphError as error:
            self._failed(error)
            await send({"type": "lifespan.startup.failed", "message": ""})


def opened_at(address: tuple[str, int]) -> str:
    """Answer where GraphQL answers when an address of this machine is listened on."""
    host, port = address
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/graphql"


def write_log(settings: Settings) -> None:
    """Let this process write its log to the error output, as the settings say."""
    logging.basicConfig(level=settings.log_level, format="%(levelname)s %(name)s: %(message)s")
