"""A way to a server that can be closed, as a network that fails."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Self
from urllib.parse import urlsplit

from app.stores.neo4j.location import GraphLocation


class TcpGate:
    """A port of this machine behind which a Neo4j is, while it is open."""

    def __init__(self, neo4j: GraphLocation) -> None:
        address = urlsplit(neo4j.uri)
        self._host, self._port = str(address.hostname), address.port or 7687
        self._is_open = True
        self._writers: set[asyncio.StreamWriter] = set()
        self.uri = ""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        self.uri = f"bolt://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: Any) -> None:
        self.close()
        self._server.close()
        await self._server.wait_closed()

    def open(self) -> None:
        """Let connections through."""
        self._is_open = True

    def close(self) -> None:
        """Break every connection, and let none through."""
        self._is_open = False
        for writer in self._writers:
            writer.transport.abort()

    async def _pass(self, inward: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        if not self._is_open:
            back.transport.abort()
            return
        outward, there = await asyncio.open_connection(self._host, self._port)
        self._writers |= {back, there}
        await asyncio.gather(_copy(inward, there), _copy(outward, back))
        self._writers -= {back, there}


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()
