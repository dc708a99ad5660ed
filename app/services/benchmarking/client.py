"""A client of the GraphQL API with as little of its own as possible: one connection, kept alive."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from urllib.parse import urlsplit

import httptools
import orjson

from app.errors import Unavailable

_CHUNK = 1 << 18
_RECALLED = b'{"data":{"recall":{'

DOCUMENT = """
query Recall($query: String!, $project: String, $asOf: DateTime) {
  recall(query: $query, project: $project, asOf: $asOf) {
    id
    asOf
    knownAt
    tokensUsed
    advisories
    anchors { surfaceForm entity { id } }
    hits {
      rank
      score
      stateFlag
      stateSummary
      flagGround
      content
      artifact { id kind identifier title createdAt }
      passage { ordinal heading text }
      explanation { leg rank score contribution }
    }
    legs { leg candidates milliseconds problem }
  }
}
"""


class RecallClient:
    """Asks one question after the other over one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes) -> None:
        self._reader = reader
        self._writer = writer
        self._head = head

    @classmethod
    @asynccontextmanager
    async def connected(cls, url: str) -> AsyncIterator[RecallClient]:
        """Connect to the address of a GraphQL API and close at the end."""
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=_CHUNK)
        head = (
            f"POST {parts.path} HTTP/1.1\r\nhost: {parts.netloc}\r\naccept: application/json\r\n"
            "content-type: application/json\r\ncontent-length: "
        )
        try:
            yield cls(reader, writer, head.encode())
        finally:
            writer.close()

    def request(self, query: str, project: str, as_of: datetime | None = None) -> bytes:
        """Answer what goes over the wire for a question."""
        variables = {"query": query, "project": project, "asOf": as_of}
        body = orjson.dumps({"query": DOCUMENT, "variables": variables})
        return b"%b%d\r\n\r\n%b" % (self._head, len(body), body)

    async def ask(self, request: bytes) -> bytes:
        """Send a request and answer the body that comes back; raises Unavailable unless it is a recall."""
        self._writer.write(request)
        answer = _Answer()
        parser = httptools.HttpResponseParser(answer)
        while not answer.is_complete:
            data = await self._reader.read(_CHUNK)
            if not data:
                raise Unavailable("the service under measurement closed the connection")
            parser.feed_data(data)
        body = b"".join(answer.body)
        if not body.startswith(_RECALLED):
            raise Unavailable(f"the service under measurement failed: {body[:500].decode(errors='replace')}")
        return body


class _Answer:
    """Gathers one response."""

    def __init__(self) -> None:
        self.body: list[bytes] = []
        self.is_complete = False

    def on_body(self, data: bytes) -> None:
        """Keep a piece of the body."""
        self.body.append(data)

    def on_message_complete(self) -> None:
        """Note that the response has ended."""
        self.is_complete = True
