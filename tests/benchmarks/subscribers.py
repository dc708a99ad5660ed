"""Measure what idle subscribers cost: `python -m tests.benchmarks.subscribers [--subscribers 1000]`.

Serves a new embedded ledger in a process of its own, opens so many subscriptions over WebSocket, each on a
connection of its own, and then as many as server-sent events. Prints for both the memory that the service
takes more than before, and how long it takes until all of them have one change.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import tempfile
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

from httpx2 import AsyncClient, HTTPError
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.benchmarks.writers import tell
from tests.cli.processes import Shell

FOLLOW = "subscription { stateChanges { position } }"
CREATE = 'mutation { createEntity(input: { type: "Component", props: { name: "Queue" } }) { position } }'
AT_ONCE = 50
KIB_PER_MIB = 1024


def memory_of(process: int) -> float:
    """Return the resident memory of a process in MiB."""
    status = Path(f"/proc/{process}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / KIB_PER_MIB


async def open_socket(stack: AsyncExitStack, address: str) -> ClientConnection:
    """Follow all changes over WebSocket."""
    url = address.replace("http", "ws") + "/graphql"
    opened = connect(url, subprotocols=[Subprotocol("graphql-transport-ws")], compression=None, max_queue=1)
    client = await stack.enter_async_context(opened)
    await client.send('{"type":"connection_init"}')
    await client.recv()
    await client.send(json.dumps({"type": "subscribe", "id": "1", "payload": {"query": FOLLOW}}))
    return client


async def open_stream(stack: AsyncExitStack, address: str) -> asyncio.StreamReader:
    """Follow all changes as server-sent events."""
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    stack.callback(writer.close)
    body = json.dumps({"query": FOLLOW})
    head = (
        f"POST /graphql HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept: text/event-stream\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    writer.write((head + body).encode())
    await reader.readuntil(b": ping")
    return reader


async def wait(client: AsyncClient) -> None:
    """Wait until the service answers, and let it do once what it does for the first time."""
    while True:
        with suppress(HTTPError):
            await client.post("/graphql", json={"query": CREATE})
            return
        await asyncio.sleep(0.2)


async def measure(client: AsyncClient, address: str, process: int, many: int) -> None:
    """Print the figures of both ways."""
    for way in ("WebSocket", "server-sent events"):
        before = memory_of(process)
        async with AsyncExitStack() as stack:
            if way == "WebSocket":
                sockets = [
                    each
                    for _ in range(0, many, AT_ONCE)
                    for each in await asyncio.gather(*(open_socket(stack, address) for _ in range(AT_ONCE)))
                ]
                hear = [each.recv() for each in sockets]
            else:
                streams = [
                    each
                    for _ in range(0, many, AT_ONCE)
                    for each in await asyncio.gather(*(open_stream(stack, address) for _ in range(AT_ONCE)))
                ]
                hear = [each.readuntil(b'"position"') for each in streams]
            await asyncio.sleep(3)
            idle = memory_of(process)
            hearing = asyncio.gather(*hear)
            started = perf_counter()
            await client.post("/graphql", json={"query": CREATE})
            await hearing
            seconds = perf_counter() - started
        tell(
            f"{many} by {way}: {idle - before:.1f} MiB more while idle ({before:.0f} before),"
            f" {memory_of(process) - before:.1f} after a change that all of them had within {seconds:.2f} s"
        )


async def run(home: Path, many: int) -> None:
    """Serve, and measure."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    shell = Shell(home, {"TRIGRAPH_LOG_LEVEL": "WARNING"})
    with shell.running("serve", "--port", str(port)) as process:
        async with AsyncClient(base_url=address, timeout=120) as client:
            await wait(client)
            await measure(client, address, process.pid, many)
        process.terminate()
        process.communicate(timeout=60)


def main() -> None:
    """Read the command line, and print the figures."""
    parser = argparse.ArgumentParser(description="Measure what idle subscribers cost.")
    parser.add_argument("--subscribers", type=int, default=1_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trigraph-subscribers-") as folder:
        asyncio.run(run(Path(folder), given.subscribers))


if __name__ == "__main__":
    main()
