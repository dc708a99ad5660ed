"""The application: everything opened once, and the addresses it is served at."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.graphql.context import context_of
from app.graphql.http import GraphQLView
from app.graphql.schema import SCHEMA
from app.projector.background import projecting
from app.projector.projector import Projector
from app.services.forgetting import kept_short
from app.services.indexing import kept_indexed
from app.services.memory import Memory, open_memory
from app.services.readiness import changes_after, reasons_not_to_serve
from app.settings import Settings
from app.stores.neo4j.link import GraphLink
from app.web.graphiql import graphiql_page, graphiql_routes

# A foreign page may point a name of its own at this machine; only these names are this machine's.
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]", "::1")
NOT_STORED = {"cache-control": "no-store"}


def create_app(settings: Settings, *, hosts: Sequence[str] = LOOPBACK_HOSTS) -> Starlette:
    """Answer the application; it opens the ledger and the encoder when it starts and closes them at its end.

    `hosts` are the names it answers to; a request with another Host header is refused.
    """

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[dict[str, Memory | Projector | None]]:
        async with (
            GraphLink(settings) as link,
            open_memory(settings, link) as memory,
            kept_indexed(settings),
            kept_short(settings),
            projecting(settings, link) as projector,
        ):
            yield {"memory": memory, "projector": projector}

    view = GraphQLView(SCHEMA, context_of, graphiql_page)
    return Starlette(
        routes=[
            Route("/graphql", view),
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            *graphiql_routes(),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)],
        lifespan=lifespan,
    )


async def healthz(_request: Request) -> Response:
    """Say that the process lives."""
    return JSONResponse({"status": "alive"}, headers=NOT_STORED)


async def readyz(request: Request) -> Response:
    """Say whether requests can be answered now, and if not, why.

    A graph that is not projected makes it degraded and not unready: the ledger answers instead.
    """
    memory, projector = request.state.memory, request.state.projector
    reasons = await reasons_not_to_serve(memory)
    told: dict[str, object] = {"status": "not ready" if reasons else "ready", "reasons": reasons}
    if projector is not None and not reasons:
        told["projection"] = await _projection(memory, projector)
        if projector.failure is not None:
            told["status"] = "degraded"
    return JSONResponse(told, 503 if reasons else 200, headers=NOT_STORED)


async def _projection(memory: Memory, projector: Projector) -> dict[str, object]:
    """Say how far the graph has come, how many changes of this tenant it lacks, and why it stands still."""
    position = projector.position
    return {
        "position": position,
        "behind": await changes_after(memory, position or 0),
        "failure": projector.failure,
        "isStopped": projector.is_stopped,
    }
