"""The composition root: open the ledger, the encoder, the graph reader and the services once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from app.domain.entity import Caller, Role
from app.domain.numbers import ProjectNumber
from app.embedding import Embedder, open_embedder
from app.services.access import LOCAL_PRINCIPAL
from app.services.aliases import AliasService
from app.services.catalog import CatalogService
from app.services.catalog.service import PathService
from app.services.changes import ChangeFeed, ChangeService
from app.services.document_reader import document_reader
from app.services.entities import CanonicalService
from app.services.filing import FilingService
from app.services.filing.document_rename import DocumentRenameService
from app.services.filing.document_withdrawal import WithdrawalService
from app.services.maintenance.reembed import check_model
from app.services.recall import RecallService
from app.services.recall.fusion import RecencyRule
from app.services.references import ReferenceService
from app.services.review import ReviewService
from app.services.states import StateService
from app.settings import Settings
from app.stores.graph_reader import GraphReader
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.database_rights import let_service_sign_in
from app.stores.postgres.embedded.server import kept_running
from app.stores.postgres.graph_reader import PostgresTraversal
from app.stores.postgres.location import LedgerLocation, locate_ledger
from app.stores.postgres.migrate import check, migrate
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant

if TYPE_CHECKING:
    from app.services.checking import CheckService
    from app.services.importing import ImportService
    from app.services.importing.table import TableImportService
    from app.stores.neo4j.shared_connection import GraphLink


@dataclass(frozen=True)
class Memory:
    """The composition root: the open parts, the caller, and every service on them.

    A service is built on first use, once for a memory, and holds no state of a request. `dataclasses.replace`
    gives a memory whose services use the replaced part. `leg_timeout` is in seconds, `import_width` is how
    many documents an import prepares at once, and `data` is the folder of the embedded ledger's data, None
    for a ledger on a server.
    """

    database: Database
    graph: GraphReader
    embedder: Embedder
    caller: Caller
    leg_timeout: float
    recency: RecencyRule = "bounded"
    import_width: int = 2
    data: Path | None = None
    feed: ChangeFeed = field(default_factory=ChangeFeed)

    def of_caller(self, caller: Caller) -> Memory:
        """Return this memory as a caller sees it: whole, or as it is to a caller of one project."""
        return self if caller.project is None else self.of_project(caller.project)

    def of_project(self, project: ProjectNumber) -> Memory:
        """Return this memory as it is to a caller of one project: no other one is there."""
        database = self.database.of_project(project)
        return replace(self, database=database, graph=PostgresTraversal(database))

    @cached_property
    def changes(self) -> ChangeService:
        """The service that follows changes."""
        return ChangeService(self.database, self.feed)

    @cached_property
    def filing(self) -> FilingService:
        """The service that files documents."""
        return FilingService(self.database, self.embedder)

    @cached_property
    def renames(self) -> DocumentRenameService:
        """The service that gives documents other identifiers."""
        return DocumentRenameService(self.database)

    @cached_property
    def withdrawals(self) -> WithdrawalService:
        """The service that withdraws documents."""
        return WithdrawalService(self.database)

    @cached_property
    def recall(self) -> RecallService:
        """The service that answers questions."""
        return RecallService(self.database, self.embedder, self.graph, self.leg_timeout, self.recency)

    @cached_property
    def catalog(self) -> CatalogService:
        """The service that reads lists and looks up names."""
        return CatalogService(self.database)

    @cached_property
    def paths(self) -> PathService:
        """The service that finds paths along references."""
        return PathService(self.database, self.graph)

    @cached_property
    def canonical(self) -> CanonicalService:
        """The service that defines types and creates entities without a document."""
        return CanonicalService(self.database)

    @cached_property
    def states(self) -> StateService:
        """The service that reads and changes states."""
        return StateService(self.database)

    @cached_property
    def aliases(self) -> AliasService:
        """The service that creates and withdraws aliases."""
        return AliasService(self.database)

    @cached_property
    def references(self) -> ReferenceService:
        """The service that creates and withdraws references."""
        return ReferenceService(self.database)

    @cached_property
    def review(self) -> ReviewService:
        """The service of the review queues."""
        return ReviewService(self.database)

    @cached_property
    def imports(self) -> ImportService:
        """The service that imports files, rows and repositories."""
        from app.services.importing import ImportService  # a recall needs no reader of repositories

        return ImportService(self.database, self.filing, self.import_width)

    @cached_property
    def checks(self) -> CheckService:
        """The service that checks records against a project."""
        from app.services.checking import CheckService

        return CheckService(self.database)

    @cached_property
    def table_imports(self) -> TableImportService:
        """The service that imports the rows of a table of another database."""
        from app.services.importing.table import TableImportService

        return TableImportService(self.database, self.filing, self.import_width)


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
            caller=Caller(tenant, Role.HUMAN, LOCAL_PRINCIPAL, is_local=True),
            leg_timeout=settings.leg_timeout,
            recency=settings.recency,
            # One document more than there are threads, so that none idles while another is written.
            import_width=settings.embedding_threads + 1,
            data=None if location.embedded is None else location.embedded.data,
        )


@asynccontextmanager
async def open_graph_reader(
    settings: Settings, database: Database, link: GraphLink | None = None
) -> AsyncIterator[GraphReader]:
    """Yield what reads the graph: the ledger, or Neo4j before the ledger if the settings name one."""
    if settings.neo4j_uri is None:
        yield PostgresTraversal(database)
        return
    # the driver is loaded by who uses it: a fifth of what a command takes to start
    from app.services.graph_connection import open_fallback_graph_reader

    async with open_fallback_graph_reader(settings, database, link) as reader:
        yield reader
