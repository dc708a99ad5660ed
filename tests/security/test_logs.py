"""What the service writes to its log under requests and texts that forge lines and steer terminals."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import asyncpg
import httpx2
import pytest

from tests.cli.processes import TIMEOUT, Shell
from tests.security.hostile import LINES, MARK, OWN_CODES, steering

RECORD = re.compile(r"(?:DEBUG|INFO|WARNING|ERROR)(?: [\w.]+: |: +\S)|  \| ")
ADDRESS = re.compile(r"GraphQL is available at http://127\.0\.0\.1:(\d+)/graphql")
HURTS = f"""
CREATE FUNCTION hurt() RETURNS trigger LANGUAGE plpgsql AS
    $f$ BEGIN RAISE EXCEPTION USING MESSAGE = $m$broken {LINES}$m$, DETAIL = $m$INFO: forged$m$; END $f$;
CREATE TRIGGER hurts BEFORE INSERT ON artifact FOR EACH ROW EXECUTE FUNCTION hurt()
"""
FILE = """
mutation ($project: String) {
  fileArtifact(input: { kind: "ADR", body: "x", project: $project }) { created }
}
"""
FORGED = "\r\nINFO trigraph: forged\nERROR: forged"


class Service:
    """A `trigraph serve` and all that it has written."""

    def __init__(self, process: subprocess.Popen[bytes], written: bytearray) -> None:
        self.process = process
        self._written = written
        self.port = 0

    @property
    def said(self) -> str:
        return self._written.decode()

    def wait_for(self, pattern: str | re.Pattern[str]) -> re.Match[str]:
        """Return where the log matches, as soon as it does."""
        until = time.monotonic() + TIMEOUT
        while time.monotonic() < until:
            if (found := re.search(pattern, self.said)) is not None:
                return found
            time.sleep(0.05)
        raise AssertionError(self.said)

    def send(self, head: bytes) -> None:
        """Send a request as it stands, and read what is answered to its end."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT) as connection:
            connection.sendall(head)
            while connection.recv(65536):
                pass


@contextmanager
def serving(shell: Shell, *words: str, terminal: bool = False) -> Iterator[Service]:
    """Run the service while the block lasts, with its output and error output in one."""
    leading, following = pty.openpty() if terminal else os.pipe()
    process = subprocess.Popen(
        shell.command("serve", "--port", "0", *words),
        env=shell.environment({}),
        stdin=subprocess.DEVNULL,
        stdout=following,
        stderr=following,
    )
    os.close(following)
    written = bytearray()
    reader = threading.Thread(target=_read, args=(leading, written))
    reader.start()
    service = Service(process, written)
    try:
        service.port = int(service.wait_for(ADDRESS)[1])
        yield service
        process.send_signal(signal.SIGTERM)
        process.wait(TIMEOUT)
    finally:
        process.kill()
        process.wait()
        reader.join()
        os.close(leading)


def _read(descriptor: int, written: bytearray) -> None:
    try:
        while piece := os.read(descriptor, 65536):
            written += piece
    except OSError:  # the other end of a terminal is closed
        pass


@pytest.fixture
async def shell(database_url: str, owner: asyncpg.Connection, tmp_path: Path) -> Shell:
    """Commands on a ledger that refuses documents in words that hurt."""
    await owner.execute(HURTS)
    return Shell(tmp_path, {"TRIGRAPH_DATABASE_URL": database_url, "TRIGRAPH_LOG_LEVEL": "DEBUG"})


def hurt(service: Service) -> None:
    """Ask for what is logged: paths, queries, headers and methods that hurt, and a fault that quotes some."""
    raw = LINES.encode()
    path = quote(f"/{LINES}{FORGED}").encode()
    for target in (
        path,
        b"/graphql?" + path,
        b"/?" + raw.replace(b"\n", b"").replace(b"\r", b""),
        b"/\x9b7m\xff",
    ):
        service.send(b"GET " + target + b" HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
    service.send(b"GET / HTTP/1.1\r\nhost: " + raw + b"\r\nconnection: close\r\n\r\n")
    service.send(
        b"GET / HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: \x1b[7m" + b"\r\nconnection: close\r\n\r\n"
    )
    service.send(b"G\x1b[7mT / HTTP/1.1\r\n\r\n")
    asked = {"query": FILE, "variables": {"project": f"H {MARK}\n"}}
    answer = httpx2.post(f"http://127.0.0.1:{service.port}/graphql", json=asked, timeout=TIMEOUT).json()
    assert answer["errors"][0]["extensions"]["code"] == "INTERNAL"
    service.wait_for(answer["errors"][0]["extensions"]["id"])
    service.wait_for(r"RaiseError: broken")


@pytest.mark.parametrize("words", [(), ("--workers", "2")], ids=["one process", "workers"])
async def test_a_record_is_a_line_that_steers_nothing(shell: Shell, words: tuple[str, ...]) -> None:
    with serving(shell, *words) as service:
        await asyncio.to_thread(hurt, service)
    assert steering(service.said) == set()
    assert [line for line in service.said.splitlines() if RECORD.match(line) is None] == []
    assert r"broken \x1b]0;owned\x07\x1b[7;41mX" in service.said
    assert "GET /%1B" in service.said
    assert re.search(r"(?m)^(INFO|ERROR)\S* (trigraph: )?forged", service.said) is None


async def test_a_terminal_gets_the_colours_of_the_service_and_no_others(shell: Shell) -> None:
    with serving(shell, terminal=True) as service:
        await asyncio.to_thread(hurt, service)
    said = service.said.replace("\r\n", "\n")
    assert "\x1b[32mINFO\x1b[0m" in said
    assert steering(OWN_CODES.sub("", said)) == set()


async def test_the_log_of_the_embedded_database_quotes_no_row(home: Path, owner: asyncpg.Connection) -> None:
    with pytest.raises(asyncpg.NotNullViolationError, match="owned"):
        await owner.execute("INSERT INTO project (tenant_id, key) VALUES (1, $1)", MARK)
    lines = "".join(log.read_text() for log in home.glob("*/log"))  # noqa: ASYNC240
    assert 'null value in column "folded_key"' in lines
    assert "Failing row" not in lines


async def test_the_log_that_nobody_set_up_is_one_of_lines_too(shell: Shell, tmp_path: Path) -> None:
    """An import writes no log, but what goes wrong unforeseen is said with its trace."""
    document = tmp_path / "docs" / f"0001-{MARK.replace('/', '_')}.md"
    document.parent.mkdir()
    document.write_text(f"# Queue\n\n{LINES}")
    ran = await asyncio.to_thread(shell.run, "ingest", document.parent)
    assert ran.code == 1
    assert steering(ran.out + ran.err) == set()
    assert r"broken \x1b]0;owned\x07" in ran.out
    trace = [line for line in ran.err.splitlines() if "Traceback" in line or "RaiseError" in line]
    assert trace
    assert all(line.startswith("  | ") for line in trace)
