"""The served application and the server's configuration: its log, its address and a failure to start."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from uvicorn import Config
from uvicorn.config import LOGGING_CONFIG
from uvicorn.logging import DefaultFormatter

from app.cli.connections import BoundedProtocol, allow_connections
from app.cli.escaping import OneLineFormatter, configure_logging
from app.errors import TrigraphError, Unavailable
from app.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SHUTDOWN_SECONDS = 10  # that running requests get to end when the service stops

_LOG = logging.getLogger("trigraph")


class StartupReporter:
    """Wraps an application; reports a failure to start, and logs the traceback of an unexpected one.

    The server then ends: otherwise it would pass for an application that needs no startup.
    """

    def __init__(self, app: ASGIApp, url: str, on_failure: Callable[[TrigraphError], None]) -> None:
        self._app = app
        self._url = url
        self._on_failure = on_failure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; at startup log the address or report the failure."""
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return

        has_started = False

        async def send_lifespan(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "lifespan.startup.complete":
                has_started = True
                _freeze_startup_objects()
                _LOG.info("GraphQL is available at %s", self._url)
            if message["type"] == "lifespan.startup.failed":
                return  # it quotes the trace; what to say depends on what is raised next
            await send(message)

        try:
            await self._app(scope, receive, send_lifespan)
        except Exception as error:
            if has_started:
                raise
            self._on_failure(_startup_failure(error))
            await send({"type": "lifespan.startup.failed", "message": ""})


def _startup_failure(error: Exception) -> TrigraphError:
    """Return an error that says why the service does not start; an unexpected one is logged as well."""
    if isinstance(error, TrigraphError):
        return error
    _LOG.error("the service could not start", exc_info=error)
    return Unavailable(f"the service could not start: {type(error).__name__}: {error}")


def _freeze_startup_objects() -> None:
    """Exclude what startup made from garbage collection, since it lives as long as the process.

    A full collection visits some hundred thousand objects of the schema and the libraries otherwise, and the
    event loop stands still for some 60 ms meanwhile.
    """
    gc.collect()
    gc.freeze()


def create_served_app(
    settings: Settings, address: tuple[str, int], on_failure: Callable[[TrigraphError], None]
) -> StartupReporter:
    """Return the application for an address of this machine; configure the log of the process."""
    from app.main import LOOPBACK_HOSTS, create_app

    configure_logging(settings)
    allow_connections(settings.max_connections)
    host, port = address
    place = f"[{host}]" if ":" in host else host
    app = create_app(settings, hosts=[*LOOPBACK_HOSTS, place])
    return StartupReporter(app, f"http://{place}:{port}/graphql", on_failure)


def server_config(
    app: ASGIApp | Callable[[], ASGIApp], settings: Settings, proxies: str | None, **others: Any
) -> Config:
    """Return uvicorn's configuration for an application or its factory.

    Of requests from one of the addresses in `proxies`, it believes who they say the client is.
    """
    from app.graphql.http_request import MAX_BODY

    return Config(
        app,
        lifespan="on",
        loop="uvloop",
        http=BoundedProtocol,
        access_log=False,
        log_config=log_config(),
        log_level=settings.log_level.lower(),
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        proxy_headers=proxies is not None,
        forwarded_allow_ips=proxies or "",
        ws_max_size=MAX_BODY,
        ws_per_message_deflate=False,  # it takes more memory than everything else of an idle connection
        **others,
    )


class ServerFormatter(OneLineFormatter, DefaultFormatter):
    """Formats the server's own records."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """Return a record as one line, without the coloured message that uvicorn adds for terminals."""
        vars(record).pop("color_message", None)
        return super().formatMessage(record)


def log_config() -> dict[str, Any]:
    """Return uvicorn's logging configuration with our formatter.

    The handlers write past the guards, since the server's own colours must reach the terminal.
    """
    config = deepcopy(LOGGING_CONFIG)
    config["formatters"]["default"]["()"] = ServerFormatter
    config["handlers"]["default"]["stream"] = "ext://sys.__stderr__"
    for part, name in (("formatters", "access"), ("handlers", "access"), ("loggers", "uvicorn.access")):
        del config[part][name]  # the application has a log of requests of its own
    return config
