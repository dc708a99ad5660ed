from __future__ import annotations

import asyncio
import time

import pytest
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from app import main
from app.main import RequestMetrics, measure_loop_lag
from app.metrics import metrics_registry
from app.stores.event_loop import background_task


def value(name: str, **labels: str) -> float:
    return metrics_registry().get_sample_value(name, labels) or 0.0


def test_a_request_that_breaks_is_counted_as_failed() -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("broken")

    before = value("trigraph_http_requests_total", path="/known", status="500")
    client = TestClient(RequestMetrics(broken, ["/known"]))
    with pytest.raises(RuntimeError):
        client.get("/known")
    assert value("trigraph_http_requests_total", path="/known", status="500") == before + 1


async def test_a_loop_that_is_held_up_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "POLL_INTERVAL", 0.01)
    before = value("trigraph_event_loop_lag_seconds_sum")
    async with background_task(measure_loop_lag()):
        await asyncio.sleep(0)
        time.sleep(0.2)  # noqa: ASYNC251
        await asyncio.sleep(0.02)
    assert value("trigraph_event_loop_lag_seconds_sum") >= before + 0.1
