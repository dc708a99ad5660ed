"""The application: everything opened once, and the addresses it is served at."""

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
from app.projector.loop import Projector, projecting
from app.services.container import Memory, open_memory
from app.services.maintenance.periodic import prune_outbox_periodically
from app.services.maintenance.vector_index import index_periodically
from app.settings import Settings
from app.stores.background_task import background_task
from app.stores.neo4j.shared_connection import GraphLink
from app.web.graphiql import graphiql_page, graphiql_routes
from app.web.middleware import Measured, watch_loop

# A foreign page may point a name of its own at this machine; only these names are this machine's.
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]", "::1")
PATHS = ("/graphql", "/healthz", "/readyz", "/metrics")


def create_app(settings: Settings, *, hosts: Sequence[str] = LOOPBACK_HOSTS) -> Starlette:
    """Yield the application; it opens the ledger and the encoder when it starts and closes them at its end.

    `hosts` are the names it answers to; a request with another Host header is refused.
    """

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[dict[str, Memory | Projector | None]]:
        async with (
            GraphLink(settings) as link,
            open_memory(settings, link) as memory,
            index_periodically(settings),
            prune_outbox_periodically(settings),
            projecting(settings, link) as projector,
            background_task(watch_loop()),
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
            Middleware(Measured, paths=PATHS),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False),
        ],
        lifespan=lifespan,
    )
