"""Time recall beside writers, and count what many writers are told: `python -m tests.benchmarks.writers`.

Serves a new embedded ledger in a process of its own, with a pool of five connections. First a recall is timed
alone and beside 8, 20 and 60 clients that file one document after the other. Then 200 clients file one
document each at once, three times: how many were acknowledged, how many are in the ledger, how many were
told when to come back, and what else they were told. `--clients` and `--seconds` make both smaller.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

import asyncpg
from httpx2 import AsyncClient, HTTPError, Limits

from app.stores.postgres.embedded.server import EmbeddedPostgres
from tests.cli.processes import Shell

POOL = 5
RUNS = 3
DOCUMENTS = 50
BESIDE = (0, 8, 20, 60)
FILE = """
mutation ($input: FileArtifactInput!) {
  fileArtifact(input: $input) { created entity { label } problems { code message } }
}
"""
RECALL = "query ($query: String!) { recall(query: $query) { hits { artifact { id } } legs { problem } } }"
_NUMBERS = count(1)


class Clients:
    """Clients of one service: what each does is one request."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def wait(self) -> None:
        """Wait until the service answers."""
        while True:
            with suppress(HTTPError):
                await self._client.get("/healthz")
                return
            await asyncio.sleep(0.2)

    async def file(self, identifier: str) -> str:
        """File a document, and return `created` or why not."""
        body = f"# {identifier}\n\nThe queue {identifier} is polled every {len(identifier)} seconds."
        said = {"kind": "ADR", "identifier": identifier, "body": body}
        answer = await self._ask(FILE, input=said)
        payload = (answer.get("data") or {}).get("fileArtifact")
        if payload is None:
            return f"error: {answer['errors'][0]['message']}"
        for problem in payload["problems"]:
            return f"{problem['code']}: {problem['message']}"
        return "created" if payload["created"] else "unchanged"

    async def recall(self) -> bool:
        """Recall something that nobody asked before, and return whether every leg answered."""
        answer = await self._ask(RECALL, query=f"how often is queue {next(_NUMBERS)} polled")
        found = (answer.get("data") or {}).get("recall")
        return found is not None and all(leg["problem"] is None for leg in found["legs"])

    async def _ask(self, query: str, /, **variables: Any) -> dict[str, Any]:
        try:
            sent = {"query": query, "variables": variables}
            answered: dict[str, Any] = (await self._client.post("/graphql", json=sent)).json()
        except HTTPError as error:
            return {"errors": [{"message": type(error).__name__}]}
        return answered


def tell(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def recalls_beside(clients: Clients, writers: int, seconds: float) -> None:
    """Print how long a recall takes beside so many clients that write all the time."""
    written = Counter[str]()

    async def write() -> None:
        while True:
            written[await clients.file(f"ADR-{next(_NUMBERS)}")] += 1

    writing = [asyncio.create_task(write()) for _ in range(writers)]
    await asyncio.sleep(1)
    took, failed, until = list[float](), 0, perf_counter() + seconds
    while perf_counter() < until or len(took) < 2:
        started = perf_counter()
        failed += not await clients.recall()
        took.append(perf_counter() - started)
    for each in writing:
        each.cancel()
    await asyncio.gather(*writing, return_exceptions=True)
    last = quantiles(took, n=20)[-1]
    tell(
        f"{writers:3} writers: recall p50 {median(took) * 1000:6.0f} ms, p95 {last * 1000:6.0f} ms,"
        f" {len(took)} recalls, {failed} failed; writes {dict(written.most_common(3))}"
    )


async def race(clients: Clients, owner: asyncpg.Connection, many: int, run: int) -> None:
    """Print what so many clients were told that file one document each at once, and what is there."""
    names = [f"RACE-{run}-{number}" for number in range(many)]
    started = perf_counter()
    answers = dict(zip(names, await asyncio.gather(*map(clients.file, names)), strict=True))
    seconds = perf_counter() - started
    acknowledged = {name for name, answer in answers.items() if answer == "created"}
    rows = await owner.fetch("SELECT identifier FROM artifact WHERE identifier = ANY($1)", names)
    kept = {row["identifier"] for row in rows}
    others = Counter(answer for answer in answers.values() if answer != "created")
    tell(
        f"race {run}: {len(acknowledged)} acknowledged, {len(kept)} in the ledger,"
        f" {len(kept - acknowledged)} of them told of a failure, {len(acknowledged - kept)} missing;"
        f" {seconds:.1f} s; others {dict(others)}"
    )


@contextmanager
def service(home: Path) -> Iterator[str]:
    """Serve a home with a small pool, and give the address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    # Nobody reads what it logs, so it should log little.
    shell = Shell(home, {"TRIGRAPH_POOL_SIZE": str(POOL), "TRIGRAPH_LOG_LEVEL": "WARNING"})
    with shell.running("serve", "--port", str(port)) as process:
        yield f"http://127.0.0.1:{port}"
        process.terminate()
        process.communicate(timeout=60)


async def measure(address: str, home: Path, many: int, seconds: float) -> None:
    """Print all figures."""
    limits = Limits(max_connections=None, max_keepalive_connections=None)
    async with AsyncClient(base_url=address, timeout=120, limits=limits) as client:
        clients = Clients(client)
        await clients.wait()
        embedded = await asyncio.to_thread(EmbeddedPostgres.start, home)
        owner = await asyncpg.connect(embedded.url)
        for _ in range(DOCUMENTS):
            await clients.file(f"ADR-{next(_NUMBERS)}")
        for _ in range(5):
            await clients.recall()
        for writers in BESIDE:
            await recalls_beside(clients, writers, seconds)
        for run in range(1, RUNS + 1):
            await race(clients, owner, many, run)
        await owner.close()
        await asyncio.to_thread(embedded.stop)


def main() -> None:
    """Read the command line, and print the figures."""
    parser = argparse.ArgumentParser(description="Time recall beside writers, and count what they are told.")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=15.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trigraph-writers-") as folder, service(Path(folder)) as address:
        asyncio.run(measure(address, Path(folder), given.clients, given.seconds))


if __name__ == "__main__":
    main()
