from __future__ import annotations

import os
import re
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.cli.processes import Shell

ANSWERS = re.compile(r"GraphQL answers at (http://127\.0\.0\.1:\d+)/graphql")
FILE = 'mutation { fileArtifact(input: { kind: "ADR", identifier: "ADR-1", body: "Poll." }) { created } }'
RECALL = '{ recall(query: "ADR-1") { hits { artifact { identifier } } } }'
REQUESTS = "trigraph_http_requests_total"


class Service:
    """A `trigraph serve` of two workers: what they say, and what they answer to new connections."""

    def __init__(self, process: Popen[str]) -> None:
        self.process = process
        self.address = self.next_opened()
        self.next_opened()

    def next_opened(self) -> str:
        """Wait for a worker to say where it answers."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if (found := ANSWERS.search(line)) is not None:
                return found[1]
        raise AssertionError("the service ended")

    def ask(self, query: str) -> object:
        """Answer the data that whichever worker takes the connection gives."""
        answer = httpx2.post(f"{self.address}/graphql", json={"query": query}, timeout=30).json()
        assert "errors" not in answer
        return answer["data"]

    def measured(self) -> tuple[int, float]:
        """Answer the process that tells its measures, and how many requests of GraphQL all answered."""
        told = httpx2.get(f"{self.address}/metrics", timeout=30).text
        samples = [each for family in text_string_to_metric_families(told) for each in family.samples]
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
    with shell.running("serve", "--port", "0", "--workers", "2") as process:
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


def test_they_end_in_order_together(service: Service) -> None:
    worker, _ = service.measured()
    service.process.terminate()
    _, said = service.process.communicate(timeout=60)
    assert service.process.returncode == 0
    assert "Traceback" not in said
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


def test_none_outlives_the_process_that_looks_after_them(shell: Shell) -> None:
    with shell.running("serve", "--port", "0", "--workers", "2") as process:
        service = Service(process)
        port = int(service.address.rpartition(":")[2])
        process.kill()
        assert process.stderr is not None
        process.stderr.read()  # it is at its end when no worker holds it any more
    socket.create_server(("127.0.0.1", port)).close()
