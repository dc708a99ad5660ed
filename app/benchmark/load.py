"""A minimal client of the GraphQL API on one connection, and timing with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import cycle
from math import ceil
from random import Random
from time import perf_counter
from typing import TypeAlias
from urllib.parse import urlsplit

import httptools
import orjson

from app.benchmark.ingest import PROJECT
from app.benchmark.questions import AskedFor, Wordings
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
    """Sends one request after the other over one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes) -> None:
        self._reader = reader
        self._writer = writer
        self._head = head

    @classmethod
    @asynccontextmanager
    async def connected(cls, url: str) -> AsyncIterator[RecallClient]:
        """Yield a client connected to a GraphQL API; close it at the end."""
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
        """Return the bytes of the HTTP request for a question."""
        variables = {"query": query, "project": project, "asOf": as_of}
        body = orjson.dumps({"query": DOCUMENT, "variables": variables})
        return b"%b%d\r\n\r\n%b" % (self._head, len(body), body)

    async def ask(self, request: bytes) -> bytes:
        """Send a request and return the response body; raise Unavailable unless it is a recall."""
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
    """Collects one response."""

    def __init__(self) -> None:
        self.body: list[bytes] = []
        self.is_complete = False

    def on_body(self, data: bytes) -> None:
        """Add a part of the body."""
        self.body.append(data)

    def on_message_complete(self) -> None:
        """Mark the response as complete."""
        self.is_complete = True


REPEATS = 3

Job: TypeAlias = Callable[[], Awaitable[object]]
"""What is timed."""

Row: TypeAlias = Callable[[AskedFor], Awaitable[Job]]
"""Prepares what is timed for a question; the preparation itself is not timed."""


async def time_rows(
    rows: Mapping[str, Row], questions: Sequence[AskedFor], advance: Callable[[], None]
) -> dict[str, list[float]]:
    """Return for each row the milliseconds of each question, the best of the repeats.

    All rows are timed for one question before the next, each time in another order, so that other load and
    the after-effects of a row affect all rows alike.
    """
    random = Random(0)
    best: dict[str, dict[AskedFor, float]] = {name: {} for name in rows}
    for _ in range(REPEATS):
        for question in questions:
            for name in random.sample(list(rows), len(rows)):
                took = await milliseconds(await rows[name](question))
                best[name][question] = min(took, best[name].get(question, took))
            advance()
    return {name: list(found.values()) for name, found in best.items()}


async def milliseconds(job: Job) -> float:
    """Return how many milliseconds a job took."""
    started = perf_counter()
    await job()
    return (perf_counter() - started) * 1000


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Return the median and the 95th percentile, by the nearest-rank method."""
    ordered = sorted(values)
    return {
        name: round(ordered[max(0, ceil(share * len(ordered)) - 1)], 3)
        for name, share in (("p50", 0.50), ("p95", 0.95))
    }


CLIENTS = 16
SECONDS = 10.0


@dataclass(slots=True)
class _Tally:
    waits: list[float] = field(default_factory=list)
    errors: int = 0


async def measure_throughput(
    url: str, questions: Sequence[AskedFor], wordings: Wordings, seconds: float, advance: Callable[[], None]
) -> dict[str, float]:
    """Run 16 clients without a pause; return requests per second, p50 and p95 in ms, and errors."""
    tally = _Tally()
    asked = cycle(questions)
    until = perf_counter() + seconds
    started = perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(CLIENTS):
            group.create_task(_client(url, asked, wordings, until, tally, advance))
    took = perf_counter() - started
    return {
        "clients": CLIENTS,
        "requests_per_second": round(len(tally.waits) / took, 1),
        **percentiles(tally.waits or [0.0]),
        "errors": tally.errors,
    }


async def _client(
    url: str,
    asked: Iterator[AskedFor],
    wordings: Wordings,
    until: float,
    tally: _Tally,
    advance: Callable[[], None],
) -> None:
    """Send requests until the time is over; count a broken connection as an error and reconnect."""
    while perf_counter() < until:
        try:
            async with RecallClient.connected(url) as client:
                while perf_counter() < until:
                    request = client.request(wordings.fresh(next(asked)), PROJECT)
                    started = perf_counter()
                    await client.ask(request)
                    tally.waits.append((perf_counter() - started) * 1000)
                    advance()
        except (Unavailable, OSError):
            tally.errors += 1
            await asyncio.sleep(0.1)
