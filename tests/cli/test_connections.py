"""Connections that are too many, too slow, too long in their heads, or open when the service ends."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from app.cli import connections
from app.cli.connections import MAX_HEAD, allow_connections
from app.graphql.http_request import MAX_BODY
from app.main import create_app
from app.settings import Settings
from tests.cli.processes import Shell
from tests.e2e.serving import served
from tests.graphql.sample import sample_app
from tests.security.test_logs import serving

HEAD = b"POST / HTTP/1.1\r\nhost: localhost\r\n"
WHOLE = HEAD + b"content-length: 2\r\n\r\nok"
LONG = 64 * 1024 * 1024


async def answer(request: Request) -> Response:
    """Return the length of a body, or something long to whoever asks for it."""
    body = await request.body()
    return PlainTextResponse(b"a" * LONG if body == b"long" else str(len(body)))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service be patient for a second."""
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "STALL_SECONDS"):
        monkeypatch.setattr(connections, name, 1.0)
    monkeypatch.setattr(connections, "WATCH_INTERVAL", 0.1)


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """Where an application is served that takes ten connections."""
    monkeypatch.setattr(connections, "read_settings", lambda: Settings(max_connections=10))
    with served(Starlette(routes=[Route("/{rest:path}", answer, methods=["GET", "POST"])])) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        yield host, int(port)


def exchange(address: tuple[str, int], *pieces: bytes) -> bytes:
    """Return all that is answered to these pieces of a request until the connection is closed."""
    received = bytearray()
    with socket.create_connection(address, timeout=30) as connection:
        with suppress(ConnectionError):
            for piece in pieces:
                connection.sendall(piece)
        while data := connection.recv(1 << 20):
            received += data
    return bytes(received)


def status_of(answered: bytes) -> bytes:
    return answered.removeprefix(b"HTTP/1.1 ")[:3]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("pieces", "status"),
    [([], b""), ([HEAD], b"408"), ([HEAD + b"content-length: 9\r\n\r\nhal"], b"408")],
    ids=["nothing", "half a head", "half a body"],
)
def test_what_is_too_slow_is_refused(address: tuple[str, int], pieces: list[bytes], status: bytes) -> None:
    assert status_of(exchange(address, *pieces)) == status


@pytest.mark.parametrize(
    ("pieces", "status"),
    [
        ([HEAD + b"x: " + b"a" * MAX_HEAD + b"\r\n\r\n"], b"431"),
        ([HEAD + b"x: " + b"a" * 4_000_000], b"431"),
        ([HEAD, *[b"x: " + b"a" * 1_000 + b"\r\n"] * 5_000], b"431"),
        ([b"GET /" + b"a" * MAX_HEAD + b" HTTP/1.1\r\n\r\n"], b"431"),
        ([b"G\x00T / HTTP/1.1\r\n\r\n"], b"400"),
        ([HEAD + b"connection: close\r\nx: " + b"a" * (MAX_HEAD - 100) + b"\r\n\r\n"], b"200"),
        ([HEAD + b"connection: close\r\ncontent-length: 1000000\r\n\r\n" + b"a" * 1_000_000], b"200"),
    ],
    ids=[
        "a long header",
        "a header without end",
        "headers without end",
        "a long address",
        "no request",
        "nearly too long",
        "a long body",
    ],
)
def test_what_is_too_long_is_refused(address: tuple[str, int], pieces: list[bytes], status: bytes) -> None:
    assert status_of(exchange(address, *pieces)) == status


@pytest.mark.usefixtures("impatient")
def test_a_connection_may_rest_between_two_requests(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=30) as connection:
        for _ in range(2):
            connection.sendall(WHOLE)
            received = b""
            while not received.endswith(b"\r\n\r\n2"):
                received += (data := connection.recv(4096))
                assert data, received
            connection.settimeout(1.5)
            with pytest.raises(TimeoutError):
                connection.recv(1)
            connection.settimeout(30)


@pytest.mark.usefixtures("impatient")
def test_whoever_does_not_read_is_let_go(address: tuple[str, int]) -> None:
    long = HEAD + b"connection: close\r\ncontent-length: 4\r\n\r\nlong"
    with socket.create_connection(address, timeout=30) as connection:
        connection.sendall(long)
        time.sleep(3)
        received = 0
        with suppress(ConnectionError):
            while data := connection.recv(1 << 20):
                received += len(data)
    assert 0 < received < LONG
    assert len(exchange(address, long)) > LONG


@pytest.mark.parametrize("expects", [b"", b"expect: 100-continue\r\n"])
def test_whoever_sends_too_long_a_body_reads_that_it_is(expects: bytes) -> None:
    with served(sample_app()) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        head = b"POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" + expects
        size = 10 * MAX_BODY
        pieces = [] if expects else [b" " * size]
        answered = exchange((host, int(port)), head + b"content-length: %d\r\n\r\n" % size, *pieces)
    assert answered.startswith(b"HTTP/1.1 413 ")
    assert b"trigraph ingest" in answered


def test_one_connection_too_many_is_told_to_come_back(address: tuple[str, int]) -> None:
    open_ones = [socket.create_connection(address, timeout=30) for _ in range(10)]
    try:
        for each in open_ones:
            each.sendall(WHOLE)
            assert b"200 OK" in each.recv(4096)
        refused = exchange(address)
        assert b"503 Service Unavailable" in refused
        assert b"retry-after: 5" in refused
    finally:
        for each in open_ones:
            each.close()
    while b"200 OK" not in exchange(address, HEAD + b"connection: close\r\n\r\n"):
        pass


def test_the_limit_of_open_files_is_never_lowered() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    allow_connections(10)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


async def test_half_a_request_does_not_hold_up_the_end_of_the_service(
    database_url: str, tmp_path: Path
) -> None:
    shell = Shell(tmp_path, {"TRIGRAPH_DATABASE_URL": database_url})
    with serving(shell) as service:
        halves = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(3)]
        halves[0].sendall(HEAD.replace(b"/", b"/graphql", 1))
        halves[1].sendall(HEAD.replace(b"/", b"/graphql", 1) + b"content-length: 9\r\n\r\nhal")
        await asyncio.sleep(0.1)
        service.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(service.process.wait, 8) == 0
        for half in halves:
            half.close()


async def test_a_write_that_outlasts_the_grace_is_told_so_as_json(
    database_url: str, owner: asyncpg.Connection
) -> None:
    query = 'mutation { createEntity(input: {type: "Component", props: {name: "B"}}) { problems { code } } }'
    body = json.dumps({"query": query}).encode()
    head = HEAD.replace(b"/", b"/graphql", 1) + b"content-type: application/json\r\n"
    app = create_app(Settings(database_url=database_url, pool_size=4))
    async with owner.transaction():
        await owner.execute("LOCK TABLE entity IN ACCESS EXCLUSIVE MODE")
        with served(app, starts=True, grace=1) as url:
            host, _, port = url.removeprefix("http://").partition(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(head + b"content-length: %d\r\n\r\n" % len(body) + body)
            while not await owner.fetchval(WAITING):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            reading = asyncio.create_task(reader.read())
        answered = await reading
        writer.close()
    assert answered.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 5" in answered
    assert json.loads(answered.partition(b"\r\n\r\n")[2])["errors"][0]["extensions"]["code"] == "UNAVAILABLE"
    assert await owner.fetchval("SELECT count(*) FROM entity") == 0


WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"
