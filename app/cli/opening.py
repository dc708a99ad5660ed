"""The application while it opens: its address is told, and a failure is kept for the command to say."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from app.errors import TrigraphError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOG = logging.getLogger("trigraph")


class Opening:
    """An application as it is, but for an expected failure to open: that is no fault with a trace."""

    def __init__(self, app: ASGIApp, url: str) -> None:
        self._app = app
        self._url = url
        self.failure: TrigraphError | None = None

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
            self.failure = error
            await send({"type": "lifespan.startup.failed", "message": ""})
