"""A ledger that can be lost at one moment: right after a write was committed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit

import asyncpg

from app.domain.numbers import TenantNumber
from app.errors import Unavailable
from app.stores.postgres.pool import Database
from tests.conftest import Server

Loss = Callable[["CutOff"], Awaitable[None]]


class CutOff(Database):
    """A database that `loss` befalls once, after the first write is committed and before it is answered."""

    loss: Loss | None = None
    emptied: AsyncExitStack

    @asynccontextmanager
    async def writing(self, tenant: TenantNumber) -> AsyncIterator[asyncpg.Connection]:
        """Yield a connection as a database does; what befalls it comes after."""
        async with super().writing(tenant) as connection:
            yield connection
        loss, self.loss = self.loss, None
        if loss is not None:
            await loss(self)


@asynccontextmanager
async def opened_cut_off(url: str) -> AsyncIterator[CutOff]:
    """Open a small pool that waits for little."""
    database = await CutOff.open(url, size=2, patience=0.3)
    async with AsyncExitStack() as database.emptied:
        yield database
    await database.close()


async def empty_the_pool(database: CutOff) -> None:
    """Take every connection that there is to be had, until `emptied` is closed."""
    while True:
        try:
            await database.emptied.enter_async_context(database.reading(TenantNumber(0)))
        except Unavailable:
            return


def stop_the_server(server: Server, url: str) -> Loss:
    """Return what ends every connection of the service to a database, and lets none in again."""

    async def stop(_database: CutOff) -> None:
        await let_in(server, url, is_open=False)

    return stop


async def let_in(server: Server, url: str, *, is_open: bool) -> None:
    """Let connections into a database, or end those that the service has there and keep others out."""
    name = urlsplit(url).path.strip("/")
    await server.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS {str(is_open).lower()}")
    if not is_open:
        await server.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            f" WHERE datname = '{name}' AND application_name = 'trigraph'"
        )
