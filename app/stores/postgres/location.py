"""Find the PostgreSQL that holds the ledger: a server named in the settings, or the embedded one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from app.errors import Unavailable
from app.settings import Settings
from app.stores.postgres.connection import as_service, owner_connection, without_password
from app.stores.postgres.embedded.server import EmbeddedPostgres

OLDEST_VERSION = 16
EXTENSION = "vector"


@dataclass(frozen=True, slots=True)
class LedgerLocation:
    """The ledger's address, and the embedded server if this process holds a share in one."""

    url: str
    embedded: EmbeddedPostgres | None = None

    @property
    def service_url(self) -> str:
        """The address the service connects to, with its own role on the embedded server.

        On an external server, the user of the address switches to that role instead.
        """
        return self.url if self.embedded is None else as_service(self.url)

    async def close(self) -> None:
        """Release the embedded server; an external server stays as it is."""
        if self.embedded is not None:
            await asyncio.to_thread(self.embedded.stop)


async def locate_ledger(settings: Settings) -> LedgerLocation:
    """Return the ledger's location, on a running and suitable server; the caller closes it.

    Raises Unavailable when the server does not answer, is too old or lacks pgvector.
    """
    if settings.database_url is None:
        embedded = await asyncio.to_thread(EmbeddedPostgres.start, settings.home)
        return LedgerLocation(embedded.url, embedded)
    await _demand_a_fit_server(settings.database_url)
    return LedgerLocation(settings.database_url)


async def _demand_a_fit_server(url: str) -> None:
    async with owner_connection(url) as connection:
        version = connection.get_server_version().major
        server = f"PostgreSQL {version} at {without_password(url)}"
        if version < OLDEST_VERSION:
            raise Unavailable(f"{server} is too old; trigraph needs {OLDEST_VERSION} or newer")
        if not await connection.fetchval("SELECT 1 FROM pg_available_extensions WHERE name = $1", EXTENSION):
            raise Unavailable(f"{server} lacks the extension {EXTENSION}; install pgvector there")
