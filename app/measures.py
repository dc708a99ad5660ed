"""What a process counts of its work, kept in memory for whoever watches it."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)

from app.domain.recall import Ranking

disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_REQUESTS = Counter(
    "trigraph_http_requests", "Requests that were answered.", ("path", "status"), registry=REGISTRY
)
_REQUEST_SECONDS = Histogram(
    "trigraph_http_request_seconds",
    "Seconds from a request to its answer.",
    ("path",),
    buckets=_SECONDS,
    registry=REGISTRY,
)
_LEG_SECONDS = Histogram(
    "trigraph_recall_leg_seconds",
    "Seconds that a leg of a recall took, by the store that answered it.",
    ("leg", "served"),
    buckets=_SECONDS,
    registry=REGISTRY,
)
_LEG_PROBLEMS = Counter(
    "trigraph_recall_leg_problems", "Legs of recalls that were late or failed.", ("leg",), registry=REGISTRY
)
_LOOP_LAG = Histogram(
    "trigraph_event_loop_lag_seconds",
    "Seconds by which the event loop came late to what was due.",
    buckets=_SECONDS,
    registry=REGISTRY,
)


def note_request(path: str, status: int, seconds: float) -> None:
    """Count a request; `path` is one of few, whatever was asked for."""
    _REQUESTS.labels(path, status).inc()
    _REQUEST_SECONDS.labels(path).observe(seconds)


def note_legs(legs: Iterable[Ranking]) -> None:
    """Count how long each leg of a recall took, and whether it answered."""
    for leg in legs:
        _LEG_SECONDS.labels(leg.leg, leg.served).observe(leg.milliseconds / 1000)
        if leg.problem is not None:
            _LEG_PROBLEMS.labels(leg.leg).inc()


def note_lag(seconds: float) -> None:
    """Count by how much the event loop was late."""
    _LOOP_LAG.observe(seconds)
