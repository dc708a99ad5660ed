"""Sending one odd request over a connection of its own, and what came back."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.odd_requests import OddRequest

_STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")
_CODE = re.compile(rb'"code":"(\w+)"')


@dataclass(frozen=True, slots=True)
class Reply:
    """The status of an answer (0 for none), the first code in it, and its bytes."""

    status: int
    code: str
    size: int
    is_late: bool = False

    @property
    def described(self) -> str:
        """Return the reply in a few words."""
        return "no answer" if self.is_late else f"{self.status} {self.code or '-'} {self.size} B"


async def send(url: str, request: OddRequest, longest: float) -> Reply:
    """Return what a server replies to a request, within so many seconds."""
    try:
        return await asyncio.wait_for(_exchange(url, request), longest)
    except TimeoutError:
        return Reply(0, "", 0, is_late=True)


async def _exchange(url: str, request: OddRequest) -> Reply:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    head = [f"{request.method} {request.target} HTTP/1.1", f"host: {parts.netloc}", "connection: close"]
    head += [f"{name}: {value}" for name, value in request.headers.items()]
    if request.body is not None:
        head.append(f"content-length: {len(request.body)}")
    try:
        # A server may refuse and close before it has read everything.
        with suppress(ConnectionError):
            writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + (request.body or b""))
            await writer.drain()
        answer = bytearray()
        with suppress(ConnectionError):
            while data := await reader.read(1 << 18):
                answer += data
    finally:
        writer.close()
    status, code = _STATUS.match(answer), _CODE.search(answer)
    return Reply(int(status[1]) if status else 0, code[1].decode() if code else "", len(answer))
