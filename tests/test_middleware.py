from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import time

import pytest
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from app import main
from app.main import RequestLog, measure_loop_lag
from app.metrics import MAX_LABELS, OTHER, BoundedLabels, metrics_registry
from app.stores.event_loop import background_task
from tests.graphql.sample import sample_app


def value(name: str, **labels: str) -> float:
    return metrics_registry().get_sample_value(name, labels) or 0.0


def test_a_request_that_breaks_is_counted_as_failed() -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("broken")

    before = value("trigraph_http_requests_total", path="/known", status="500")
    client = TestClient(RequestLog(broken, ["/known"]))
    with pytest.raises(RuntimeError):
        client.get("/known")
    assert value("trigraph_http_requests_total", path="/known", status="500") == before + 1


QUERY = "query Ask($n: String) { greeting(name: $n) }"
ASKED = {"query": QUERY, "variables": {"n": "secret"}}
LINE = re.compile(
    r"POST /graphql 200 [\d.]+ ms operation=Ask client=Ada_s.app/1.4 request=(?P<id>[0-9a-f]{16})"
)
CLIENT = {"apollographql-client-name": "Ada s.app", "apollographql-client-version": "1.4"}


@pytest.fixture
def client() -> TestClient:
    return TestClient(RequestLog(sample_app(slow=1e-9), ["/graphql"]))


def test_a_request_has_a_line_an_id_and_its_timings(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        response = client.post("/graphql?key=secret", json=ASKED, headers=CLIENT)
    assert response.json()["data"] == {"greeting": "Hello, secret"}
    line, slow = (
        next(record.getMessage() for record in caplog.records if record.name == name)
        for name in ("trigraph.request", "app.metrics")
    )
    assert (found := LINE.fullmatch(line)) is not None
    assert response.headers["x-request-id"] == found["id"]
    assert re.fullmatch(r"check;dur=[\d.]+, execute;dur=[\d.]+", response.headers["server-timing"])
    digest = hashlib.sha256(QUERY.encode()).hexdigest()[:16]
    assert re.fullmatch(
        rf"slow operation Ask: \d+ ms, 0 statements in 0 ms, cost 1, document {digest}, client Ada_s.app/1.4,"
        rf" request {found['id']}",
        slow,
    )
    assert "secret" not in line + slow


@pytest.mark.parametrize(
    ("given", "is_taken"),
    [("0af7651916cd43dd:b7-ad.X", True), ("a" * 128, True), ("a" * 129, False), ("a b", False), ("é", False)],
)
def test_an_id_that_a_request_brings_is_returned_if_it_is_safe(
    client: TestClient, given: str, is_taken: bool
) -> None:
    headers = [(b"x-request-id", given.encode("latin-1"))]
    assert (client.post("/graphql", json=ASKED, headers=headers).headers["x-request-id"] == given) is is_taken


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, "-"),
        ({"graphql-client-name": "cli", "graphql-client-version": "2"}, "cli"),
        ({"graphql-client-name": "a\nb"}, "-"),
        ({"graphql-client-name": "a" * 65}, "-"),
    ],
)
def test_operations_are_counted_by_name_client_and_outcome(
    client: TestClient, headers: dict[str, str], expected: str
) -> None:
    def count(outcome: str, operation: str) -> float:
        labels = {"operation": operation, "client": expected, "outcome": outcome}
        return value("trigraph_graphql_operations_total", **labels)

    before = count("ok", "Ask"), count("errors", "-")
    client.post("/graphql", json=ASKED, headers=headers)
    client.post("/graphql", json={"query": "{ nothing }"}, headers=headers)
    assert (count("ok", "Ask"), count("errors", "-")) == (before[0] + 1, before[1] + 1)


def test_a_label_has_a_bounded_number_of_values() -> None:
    labels = BoundedLabels()
    given = [labels.of(str(number)) for number in range(MAX_LABELS + 5)]
    assert given == [*map(str, range(MAX_LABELS)), *[OTHER] * 5]
    assert labels.of("7") == "7"


async def test_a_loop_that_is_held_up_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "POLL_INTERVAL", 0.01)
    before = value("trigraph_event_loop_lag_seconds_sum")
    async with background_task(measure_loop_lag()):
        await asyncio.sleep(0)
        time.sleep(0.2)  # noqa: ASYNC251
        await asyncio.sleep(0.02)
    assert value("trigraph_event_loop_lag_seconds_sum") >= before + 0.1
