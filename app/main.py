"""The ASGI application: its routes, its middleware, and the resources that it opens at startup."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Route, WebSocketRoute

from app.domain.bounds import excerpt
from app.graphql.context import context_for, context_of
from app.graphql.http import GraphQLView
from app.graphql.http_request import PREFLIGHT_HEADERS
from app.graphql.persisted import Documents, PersistedDocuments, read_trusted_documents
from app.graphql.schema import SCHEMA
from app.graphql.streams import SubscriptionSocket
from app.health import healthz, metrics, readyz
from app.mcp import McpEndpoint
from app.metrics import NOTES, OTHER, RequestNotes, record_lag, record_request
from app.projector.loop import project_in_background
from app.services.access import Authenticator
from app.services.changes import feed_in_background
from app.services.container import open_memory
from app.services.maintenance.periodic import index_periodically, prune_outbox_periodically
from app.services.served_operation import OperationLimits
from app.settings import Settings
from app.stores.event_loop import background_task
from app.stores.neo4j.shared_connection import GraphLink
from app.web import graphiql_page, graphiql_routes

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


POLL_INTERVAL = 0.5
_FAILED = 500


CLIENT_HEADERS = (
    "apollographql-client-name",
    "apollographql-client-version",
    "graphql-client-name",
    "graphql-client-version",
)
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
_CLIENT = re.compile(rb"[A-Za-z0-9 .@_+-]{1,64}")  # no slash, which parts a name from its version
_LOG = logging.getLogger("trigraph.request")


class RequestLog:
    """Middleware that counts and times requests by path, logs each on a line, and gives it an id.

    All unknown paths count as one.
    """

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
        streaming: float | None = None
        notes = scope[NOTES] = _notes(dict(scope["headers"]))

        async def send_and_note(message: Message) -> None:
            nonlocal status, streaming
            if message["type"] == "http.response.start":
                status = message["status"]
                streaming = perf_counter() if _is_stream(message) else None
                message["headers"] = [*message.get("headers", ()), *_headers(notes)]
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        finally:
            path = scope["path"] if scope["path"] in self._paths else OTHER
            seconds = (streaming or perf_counter()) - started
            record_request(path, status, seconds)
            named = path if path is not OTHER else excerpt(scope.get("raw_path", b"").decode("latin-1"))
            # The handlers escape each argument by itself, so there is one.
            _LOG.info(
                f"{scope['method']} {named} {status} {seconds * 1000:.1f} ms operation={notes.operation}"
                f" client={notes.client} request={notes.id}"
            )


def _notes(headers: Mapping[bytes, bytes]) -> RequestNotes:
    """Return the id that a request brings, or a new one, and the name and version of its client."""
    given = headers.get(b"x-request-id", b"")
    id = given.decode() if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
    for name, version in ((CLIENT_HEADERS[0], CLIENT_HEADERS[1]), (CLIENT_HEADERS[2], CLIENT_HEADERS[3])):
        client = headers.get(name.encode(), b"")
        if _CLIENT.fullmatch(client):
            number = headers.get(version.encode(), b"")
            suffix = f"/{number.decode()}" if _CLIENT.fullmatch(number) else ""
            return RequestNotes(id, (client.decode() + suffix).replace(" ", "_"))
    return RequestNotes(id)


def _headers(notes: RequestNotes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the headers of a response that say which request it answers and where its time went."""
    yield b"x-request-id", notes.id.encode()
    if notes.timings:
        timings = ", ".join(f"{name};dur={each:.2f}" for name, each in notes.timings.items())
        yield b"server-timing", timings.encode()


def _is_stream(start: Message) -> bool:
    """Return whether a response lasts for as long as its client likes."""
    return any(
        name == b"content-type" and value.startswith(b"text/event-stream") for name, value in start["headers"]
    )


async def measure_loop_lag() -> None:
    """Record the lag of the event loop twice a second, until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + POLL_INTERVAL
        await asyncio.sleep(POLL_INTERVAL)
        record_lag(max(0.0, loop.time() - due))


# Against DNS rebinding: a foreign page may point a name of its own at this machine.
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]", "::1")
PATHS = ("/graphql", "/mcp", "/mcp/full", "/healthz", "/readyz", "/metrics")


def create_app(settings: Settings, *, hosts: Sequence[str] = LOOPBACK_HOSTS) -> Starlette:
    """Return the application; it opens the ledger and the encoder at startup and closes them at shutdown.

    It answers only requests whose Host header is one of `hosts` or of the settings.
    """

    @asynccontextmanager
    async def lifespan(
        _app: Starlette,
    ) -> AsyncIterator[dict[str, object]]:
        async with (
            GraphLink(settings) as link,
            open_memory(settings, link) as memory,
            index_periodically(settings),
            prune_outbox_periodically(settings),
            project_in_background(settings, link) as projector,
            feed_in_background(settings, memory.feed),
            background_task(measure_loop_lag()),
            tools["/mcp"].running(),
            tools["/mcp/full"].running(),
        ):
            local = memory.caller if settings.auth == "none" else None
            authenticator = Authenticator(memory.database, local)
            yield {"memory": memory, "projector": projector, "authenticator": authenticator}

    tools = {
        path: McpEndpoint(profile, settings.cors_origins)
        for path, profile in (("/mcp", "default"), ("/mcp/full", "full"))
    }
    documents = documents_of(settings)
    socket = SubscriptionSocket(SCHEMA, context_for, settings.cors_origins, documents)
    limits = OperationLimits(settings.recall_timeout, settings.read_timeout, settings.pool_size)
    view = GraphQLView(SCHEMA, context_of, graphiql_page, documents, limits, settings.slow_operation)
    return Starlette(
        routes=[
            Route("/graphql", view),
            WebSocketRoute("/graphql", socket),
            *(Route(path, endpoint) for path, endpoint in tools.items()),
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            Route("/metrics", metrics),
            *graphiql_routes(),
        ],
        middleware=[
            Middleware(RequestLog, paths=PATHS),
            Middleware(
                TrustedHostMiddleware, allowed_hosts=[*hosts, *settings.allowed_hosts], www_redirect=False
            ),
            *_cors(settings.cors_origins),
        ],
        lifespan=lifespan,
    )


def documents_of(settings: Settings) -> Documents:
    """Return what finds the documents of requests; raise Invalid for a bad file of trusted ones."""
    if settings.trusted_documents is None:
        return PersistedDocuments()
    return read_trusted_documents(settings.trusted_documents, SCHEMA._schema)


def _cors(origins: Sequence[str]) -> list[Middleware]:
    """Return what lets the pages of these origins use the service; nothing for no origin."""
    if not origins:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=list(origins),
            allow_methods=["GET", "POST"],
            allow_headers=[
                "content-type",
                "mcp-protocol-version",
                "x-request-id",
                *CLIENT_HEADERS,
                *PREFLIGHT_HEADERS,
            ],
            expose_headers=["retry-after", "server-timing", "www-authenticate", "x-request-id"],
        )
    ]
