"""The ASGI application: its routes, its middleware, and the resources that it opens at startup."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Route

from app.graphql.context import context_of
from app.graphql.http import GraphQLView
from app.graphql.schema import SCHEMA
from app.health import healthz, metrics, readyz
from app.projector.loop import Projector, project_in_background
from app.services.container import Memory, open_memory
from app.services.maintenance.periodic import index_periodically, prune_outbox_periodically
from app.settings import Settings
from app.stores.event_loop import background_task
from app.stores.neo4j.shared_connection import GraphLink
from app.web.graphiql import graphiql_page, graphiql_routes
from app.web.middleware import RequestMetrics, measure_loop_lag

# Against DNS rebinding: a foreign page may point a name of its own at this machine.
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]", "::1")
PATHS = ("/graphql", "/healthz", "/readyz", "/metrics")


def create_app(settings: Settings, *, hosts: Sequence[str] = LOOPBACK_HOSTS) -> Starlette:
    """Return the application; it opens the ledger and the encoder at startup and closes them at shutdown.

    It answers only requests whose Host header is one of `hosts`.
    """

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[dict[str, Memory | Projector | None]]:
        async with (
            GraphLink(settings) as link,
            open_memory(settings, link) as memory,
            index_periodically(settings),
            prune_outbox_periodically(settings),
            project_in_background(settings, link) as projector,
            background_task(measure_loop_lag()),
        ):
            yield {"memory": memory, "projector": projector}

    view = GraphQLView(SCHEMA, context_of, graphiql_page)
    return Starlette(
        routes=[
            Route("/graphql", view),
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            Route("/metrics", metrics),
            *graphiql_routes(),
        ],
        middleware=[
            Middleware(RequestMetrics, paths=PATHS),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False),
        ],
        lifespan=lifespan,
    )
