"""Prometheus metrics of a process, or of several that share a folder."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.multiprocess import MultiProcessCollector

from app.domain.recall import Ranking

disable_created_metrics()  # type: ignore[no-untyped-call]

SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder in which several processes share metrics; read at import."""

log = logging.getLogger(__name__)

IS_SHARED = SHARED_FOLDER in os.environ
_OWN = CollectorRegistry()
if not IS_SHARED:
    ProcessCollector(registry=_OWN)

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_REQUESTS = Counter(
    "trigraph_http_requests", "Number of responses to requests.", ("path", "status"), registry=_OWN
)
_REQUEST_SECONDS = Histogram(
    "trigraph_http_request_seconds",
    "Seconds from a request to its response.",
    ("path",),
    buckets=_SECONDS,
    registry=_OWN,
)
_LEG_SECONDS = Histogram(
    "trigraph_recall_leg_seconds",
    "Duration of a leg of recall in seconds, by the store that served it.",
    ("leg", "served"),
    buckets=_SECONDS,
    registry=_OWN,
)
_LEG_PROBLEMS = Counter(
    "trigraph_recall_leg_problems", "Legs of recall that were late or failed.", ("leg",), registry=_OWN
)
_LOOP_LAG = Histogram(
    "trigraph_event_loop_lag_seconds",
    "Seconds by which the event loop was late.",
    buckets=_SECONDS,
    registry=_OWN,
)


def metrics_registry() -> CollectorRegistry:
    """Return the registry of this process, or of all processes that share its folder."""
    if not IS_SHARED:
        return _OWN
    shared = CollectorRegistry()
    MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
    return shared


def record_request(path: str, status: int, seconds: float) -> None:
    """Count and time a request; `path` must be one of a few, never the raw path."""
    with _log_write_errors():
        _REQUESTS.labels(path, status).inc()
        _REQUEST_SECONDS.labels(path).observe(seconds)


def record_legs(legs: Iterable[Ranking]) -> None:
    """Record the duration and the problems of each leg of a recall."""
    with _log_write_errors():
        for leg in legs:
            _LEG_SECONDS.labels(leg.leg, leg.served).observe(leg.milliseconds / 1000)
            if leg.problem is not None:
                _LEG_PROBLEMS.labels(leg.leg).inc()


def record_lag(seconds: float) -> None:
    """Record the lag of the event loop."""
    with _log_write_errors():
        _LOOP_LAG.observe(seconds)


@contextmanager
def _log_write_errors() -> Iterator[None]:
    """Log an OSError of the block, so that a missing folder or a full disk fails no request."""
    try:
        yield
    except OSError as error:
        log.warning("a metric cannot be collected: %s", error)
