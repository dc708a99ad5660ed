"""The application while it opens: its address is told, and whoever serves it is told of a failure."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.cli.log import write_log
from app.errors import TrigraphError
from app.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
    from uvicorn import Config

_GRACE = 10  # seconds that requests have to end in when the service does

_LOG = logging.getLogger("trigraph")


class Opening:
    """An application as it is, but for an expected failure to open: that is no fault with a trace."""

    def __init__(self, app: ASGIApp, url: str, failed: Callable[[TrigraphError], None]) -> None:
        self._app = app
        self._url = url
        self._failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Return one request, or open and close the application."""
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


def opening(settings: Settings, address: tuple[str, int], failed: Callable[[TrigraphError], None]) -> Opening:
    """Return the application at an address of this machine; the process writes its log from now on."""
    from app.main import LOOPBACK_HOSTS, create_app

    write_log(settings)
    host, port = address
    place = f"[{host}]" if ":" in host else host
    app = create_app(settings, hosts=[*LOOPBACK_HOSTS, host])
    return Opening(app, f"http://{place}:{port}/graphql", failed)


def server_of(app: ASGIApp | Callable[[], ASGIApp], settings: Settings, **others: Any) -> Config:
    """Return how a server serves an application, or what makes one, with other settings of uvicorn's."""
    from uvicorn import Config

    from app.cli.log import server_log

    return Config(
        app,
        loop="uvloop",
        http="httptools",
        log_config=server_log(),
        log_level=settings.log_level.lower(),
        timeout_graceful_shutdown=_GRACE,
        **others,
    )
