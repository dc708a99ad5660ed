"""Serving an application on a port of this machine while a test uses it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn
from starlette.types import ASGIApp


@contextmanager
def served(app: ASGIApp, *, starts: bool = False) -> Iterator[str]:
    """Give the address at which uvicorn serves an application in a thread of its own.

    `starts` runs what the application does at its start and end; a request waits for the start.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on" if starts else "off"))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
