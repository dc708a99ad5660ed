from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen
from urllib.parse import urlsplit

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.cli.runner import INTERRUPTED
from tests.cli.processes import Shell
from tests.conftest import Server

SERVE = ("serve", "--port", "0", "--workers", "2")
ANSWERS = r"GraphQL is available at (http://127\.0\.0\.1:\d+)/graphql"
FILE = 'mutation { fileArtifact(input: { kind: "ADR", identifier: "ADR-1", body: "Poll." }) { created } }'
RECALL = '{ recall(query: "ADR-1") { hits { artifact { identifier } } } }'
STALLED = (
    b"POST /graphql HTTP/1.1\r\nhost: localhost\r\n"
    b"content-type: application/json\r\ncontent-length: 9\r\n\r\n{"
)
REQUESTS = "trigraph_http_requests_total"


class Service:
    """A `trigraph serve` of two workers: what they say, and what they answer to new connections."""

    def __init__(self, process: Popen[str], workers: int = 2) -> None:
        self.process = process
        self.address = self.next_opened()
        for _ in range(workers - 1):
            self.next_opened()

    def next_opened(self) -> str:
        """Wait for a worker to say where it answers."""
        return self.next_said(ANSWERS)[1]

    def next_said(self, pattern: str) -> re.Match[str]:
        """Wait for a line that has something in it."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if (found := re.search(pattern, line)) is not None:
                return found
        raise AssertionError("the service ended")

    def workers(self) -> list[int]:
        """Return the processes that answer, or start to, by their numbers."""
        listed = subprocess.run(
            ["ps", "-e", "-ww", "-o", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True
        )
        found = [line.split(maxsplit=3) for line in listed.stdout.splitlines()]
        return [
            int(pid)
            for pid, parent, state, command in found
            if int(parent) == self.process.pid and "spawn_main" in command and not state.startswith("Z")
        ]

    def ask(self, query: str) -> object:
        """Return the data that whichever worker takes the connection gives."""
        answer = httpx2.post(f"{self.address}/graphql", json={"query": query}, timeout=30).json()
        assert "errors" not in answer
        return answer["data"]

    def measured(self) -> tuple[int, float]:
        """Return the process that tells its measures, and how many requests of GraphQL all answered."""
        text = httpx2.get(f"{self.address}/metrics", timeout=30).text
        samples = [each for family in text_string_to_metric_families(text) for each in family.samples]
        (ready,) = (each for each in samples if each.name == "trigraph_ready")
        answered = (
            each.value for each in samples if each.name == REQUESTS and "/graphql" in each.labels.values()
        )
        return int(ready.labels["worker"]), sum(answered)


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    """A home of its own."""
    with tempfile.TemporaryDirectory(prefix="trigraph-workers-") as home:
        yield Shell(Path(home), {})


@pytest.fixture(scope="module")
def service(shell: Shell) -> Iterator[Service]:
    """Two workers on a new embedded ledger that holds one record."""
    with shell.running(*SERVE) as process:
        service = Service(process)
        service.ask(FILE)
        yield service


def test_whichever_worker_answers_knows_what_was_filed_and_what_all_counted(service: Service) -> None:
    _, before = service.measured()
    for _ in range(20):
        assert service.ask(RECALL) == {"recall": {"hits": [{"artifact": {"identifier": "ADR-1"}}]}}
    assert service.measured()[1] - before == 20


def test_a_worker_that_is_killed_is_replaced_and_what_it_counted_stays(service: Service) -> None:
    killed, before = service.measured()
    os.kill(killed, signal.SIGKILL)
    assert service.next_opened() == service.address
    assert service.ask(RECALL)
    worker, after = service.measured()
    assert worker != killed
    assert after == before + 1


def test_workers_that_die_while_they_start_hold_up_nothing(service: Service) -> None:
    for _ in range(2):
        for worker in service.workers():
            os.kill(worker, signal.SIGKILL)
        while len(service.workers()) < 2:
            pass
    service.next_opened()
    service.next_opened()
    assert service.ask(RECALL)


def test_they_end_in_order_together_whatever_a_client_does(service: Service) -> None:
    port = int(service.address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as stalling:
        stalling.sendall(STALLED)
        time.sleep(0.5)  # until a worker reads it
        workers = service.workers()
        service.process.terminate()
        _, said = service.process.communicate(timeout=60)
    assert service.process.returncode == 0
    assert "running task(s)" not in said  # half a request holds up nobody
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_none_outlives_the_process_that_looks_after_them(shell: Shell, tmp_path: Path) -> None:
    shell = Shell(shell.home, {"TMPDIR": str(tmp_path)})
    with shell.running(*SERVE) as process:
        service = Service(process)
        port = int(service.address.rpartition(":")[2])
        with ExitStack() as opened:
            asking = [opened.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(8)]
            for each in asking:
                each.sendall(STALLED)
            time.sleep(0.5)  # until the workers read them
            process.kill()
            time.sleep(1)  # until they noticed
            for each in asking:
                assert each.recv(64) == b""
        assert process.stderr is not None
        said = process.stderr.read()  # it is at its end when no worker holds it any more
    assert "Traceback" not in said
    assert "not counted" not in said
    assert not list(tmp_path.glob("trigraph-measures-*"))
    socket.create_server(("127.0.0.1", int(service.address.rpartition(":")[2]))).close()


async def test_a_database_that_is_away_for_a_while_ends_no_service(
    server: Server, database_url: str, tmp_path: Path
) -> None:
    shell = Shell(tmp_path, {"TRIGRAPH_DATABASE_URL": database_url})
    with shell.running(*SERVE) as process:
        service = Service(process)
        await _let_in(server, database_url, "false")
        os.kill(service.workers()[0], signal.SIGKILL)
        service.next_said("ended with status 3")
        assert httpx2.get(f"{service.address}/healthz", timeout=30).status_code == 200
        await _let_in(server, database_url, "true")
        service.next_opened()
        assert service.ask(RECALL)


async def _let_in(server: Server, url: str, whether: str) -> None:
    name = urlsplit(url).path.strip("/")
    await server.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS {whether}")
    await server.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")


def test_terminated_while_it_opens_it_stops_its_database(tmp_path: Path) -> None:
    shell = Shell(tmp_path, {"TMPDIR": str(tmp_path)})
    with shell.running(*SERVE) as process:
        while not (written := tmp_path / "postgres/postmaster.pid").exists():
            assert process.poll() is None
        process.terminate()
        assert process.wait(60) == INTERRUPTED
    assert not written.exists()
    assert not list(tmp_path.glob("trigraph-*"))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_folder_of_measures_that_others_set_is_left_alone(tmp_path: Path, workers: str) -> None:
    shell = Shell(tmp_path, {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "nowhere")})
    with shell.running("serve", "--port", "0", "--workers", workers) as process:
        service = Service(process, int(workers))
        assert httpx2.get(f"{service.address}/metrics", timeout=30).status_code == 200
        process.terminate()
        process.communicate(timeout=60)  # killed, it would leave its database running
