"""Serving an application on a port of this machine while a test uses it."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from threading import Thread

from httpx2 import AsyncClient
from starlette.types import ASGIApp
from uvicorn import Config

from app.cli.connections import BoundedProtocol, OrderlyServer
from app.main import create_app
from app.settings import Settings


@contextmanager
def served(app: ASGIApp, *, starts: bool = False, grace: int | None = None) -> Iterator[str]:
    """Give the address at which an application is served in a thread of its own.

    `starts` runs what the application does at its start and end; a request waits for the start. `grace` is
    how many seconds requests get to end when the block does.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = Config(
            app,
            http=BoundedProtocol,
            log_level="warning",
            lifespan="on" if starts else "off",
            timeout_graceful_shutdown=grace,
        )
        server = OrderlyServer(config)
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@asynccontextmanager
async def client_of(settings: Settings) -> AsyncIterator[AsyncClient]:
    """Give a client of the whole application on the ledger that the settings name, once it has started."""
    with served(create_app(settings), starts=True) as address:
        async with AsyncClient(base_url=address, timeout=30) as client:
            assert (await client.get("/healthz")).status_code == 200
            yield client
