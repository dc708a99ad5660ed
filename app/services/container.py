"""The composition root: open the ledger, the encoder, the graph reader and the services once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from app.domain.entity import Caller, Role
from app.embedding import Embedder, open_embedder
from app.services.document_reader import document_reader
from app.services.filing import FilingService
from app.services.graph_reader import open_graph_reader
from app.services.maintenance.reembed import check_model
from app.services.recall import RecallService
from app.settings import Settings
from app.stores.graph_reader import GraphReader
from app.stores.neo4j.shared_connection import GraphLink
from app.stores.postgres.connection import let_service_sign_in, owner_connection
from app.stores.postgres.embedded.server import kept_running
from app.stores.postgres.location import LedgerLocation, locate_ledger
from app.stores.postgres.migrate import check, migrate
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant

LOCAL_PRINCIPAL = "local"


@dataclass(frozen=True, slots=True)
class Memory:
    """The open services, and the local caller: one human, who works in the tenant the settings name.

    `data` is the folder of the embedded ledger's data, None for one on a server.
    """

    database: Database
    graph: GraphReader
    embedder: Embedder
    filing: FilingService
    recall: RecallService
    caller: Caller
    data: Path | None = None


@asynccontextmanager
async def open_memory(settings: Settings, link: GraphLink | None = None) -> AsyncIterator[Memory]:
    """Open the ledger the settings name and the services on it; close them when the block ends.

    The embedded ledger is migrated first; one on a server is only checked, since only its operator may
    change it. Neo4j is reached by `link` if the process has one already. Raises Unavailable if a part does
    not answer, Conflict if the ledger is not migrated or holds the vectors of another model.
    """
    location = await locate_ledger(settings)
    try:
        migrates = location.embedded is not None
        async with (
            kept_running(location.embedded),
            open_memory_at(location, settings, link, migrates=migrates) as memory,
        ):
            yield memory
    finally:
        await location.close()


@asynccontextmanager
async def open_memory_at(
    location: LedgerLocation, settings: Settings, link: GraphLink | None = None, *, migrates: bool
) -> AsyncIterator[Memory]:
    """Open the services on a ledger that is located already; the caller closes the location."""
    if migrates:
        await migrate(location.url)
    await check(location.url)
    async with owner_connection(location.url) as owner:
        tenant = await ensure_tenant(owner, settings.tenant)
        if location.embedded is not None:
            await let_service_sign_in(owner)
    async with AsyncExitStack() as stack:
        database = await Database.open(location.service_url, size=settings.pool_size)
        stack.push_async_callback(database.close)
        stack.push_async_callback(asyncio.to_thread, document_reader().close)
        embedder = open_embedder(settings)
        stack.push_async_callback(embedder.close)
        async with database.reading(tenant) as connection:
            await check_model(connection, embedder)
        graph = await stack.enter_async_context(open_graph_reader(settings, database, link))
        yield Memory(
            database=database,
            graph=graph,
            embedder=embedder,
            filing=FilingService(database, embedder),
            recall=RecallService(database, embedder, graph, settings.leg_timeout, settings.recency),
            caller=Caller(tenant, Role.HUMAN, LOCAL_PRINCIPAL),
            data=None if location.embedded is None else location.embedded.data,
        )
