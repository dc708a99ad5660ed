"""Importing the rows of a table of another database as documents, with their aliases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from app.domain.entity import Caller
from app.services.catalog.lookup import project_key
from app.services.filing import FilingService
from app.services.importing.request import ImportSummary
from app.services.importing.run import Batch
from app.services.importing.service import ImportService
from app.services.importing.table.aliases import AliasImport, Registry, open_aliases
from app.services.importing.table.rows import DocumentTable, open_documents
from app.stores.postgres.pool import Database
from app.stores.postgres.source_database import settle_in, source_connection

__all__ = ["TableImportService", "TableRequest"]


@dataclass(frozen=True, slots=True)
class TableRequest:
    """Which table of which database to import, and where to; names are written as in SQL.

    `address` may hold a password and is shown nowhere. Documents that state no kind get `kind`,
    and `aliases` is a table with other names of the documents.
    """

    address: str = field(repr=False)
    table: str
    project: str | None = None
    kind: str | None = None
    aliases: str | None = None


class TableImportService:
    """Imports the rows of a table into the ledger, `width` documents at a time."""

    def __init__(self, database: Database, filing: FilingService, width: int) -> None:
        self._database = database
        self._filing = filing
        self._importing = ImportService(database, filing, width)

    async def run(
        self,
        caller: Caller,
        request: TableRequest,
        *,
        stop: asyncio.Event | None = None,
        watch: Callable[[ImportSummary], None] = lambda summary: None,
    ) -> ImportSummary:
        """File every row of a table, register the aliases beside it, and return the summary.

        `stop` ends the import after the current documents, and `watch` is called after each step. Raises
        NotFound, Invalid or Forbidden for a table that cannot be imported, before anything is filed, and
        Unavailable when the source or the ledger is gone; the documents filed until then stay.
        """
        stop = stop or asyncio.Event()
        prefixes = await self._filing.prefixes(caller, request.project)
        async with source_connection(request.address) as connection:
            await settle_in(connection)
            aliases = None if request.aliases is None else await open_aliases(connection, request.aliases)
            documents = await open_documents(
                connection, request.table, request.kind, prefixes, stop.is_set, by_name=aliases is not None
            )
            batch = Batch(documents.read(), documents.total)
            summary = await self._importing.import_batch(caller, batch, request.project, stop, watch)
            _warn_of_unread(summary, documents)
            if aliases is not None and not summary.was_stopped:
                registry = Registry(
                    self._database, caller, project_key(request.project), documents.keys or {}
                )
                alias_import = AliasImport(registry, summary, stop, watch)
                await alias_import.register_all(aliases.read(connection))
        return summary


def _warn_of_unread(summary: ImportSummary, documents: DocumentTable) -> None:
    if documents.columns.unread:
        summary.warn(documents.table.label, [f"ignored columns: {', '.join(documents.columns.unread)}"])
