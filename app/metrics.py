"""What a process, or several together, count of their work for whoever watches it."""

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
"""Names the folder in which several processes count together; it is read when this module is imported."""

log = logging.getLogger(__name__)

IS_SHARED = SHARED_FOLDER in os.environ
_OWN = CollectorRegistry()
if not IS_SHARED:
    ProcessCollector(registry=_OWN)

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_REQUESTS = Counter(
    "trigraph_http_requests", "Requests that were answered.", ("path", "status"), registry=_OWN
)
_REQUEST_SECONDS = Histogram(
    "trigraph_http_request_seconds",
    "Seconds from a request to its answer.",
    ("path",),
    buckets=_SECONDS,
    registry=_OWN,
)
_LEG_SECONDS = Histogram(
    "trigraph_recall_leg_seconds",
    "Seconds that a leg of a recall took, by the store that answered it.",
    ("leg", "served"),
    buckets=_SECONDS,
    registry=_OWN,
)
_LEG_PROBLEMS = Counter(
    "trigraph_recall_leg_problems", "Legs of recalls that were late or failed.", ("leg",), registry=_OWN
)
_LOOP_LAG = Histogram(
    "trigraph_event_loop_lag_seconds",
    "Seconds by which the event loop came late to what was due.",
    buckets=_SECONDS,
    registry=_OWN,
)


def all_counted() -> CollectorRegistry:
    """Return what there is to tell: what this process counted, or all that count together with it."""
    if not IS_SHARED:
        return _OWN
    shared = CollectorRegistry()
    MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
    return shared


def note_request(path: str, status: int, seconds: float) -> None:
    """Count a request; `path` is one of few, whatever was asked for."""
    with _whatever_becomes_of_it():
        _REQUESTS.labels(path, status).inc()
        _REQUEST_SECONDS.labels(path).observe(seconds)


def note_legs(legs: Iterable[Ranking]) -> None:
    """Count how long each leg of a recall took, and whether it answered."""
    with _whatever_becomes_of_it():
        for leg in legs:
            _LEG_SECONDS.labels(leg.leg, leg.served).observe(leg.milliseconds / 1000)
            if leg.problem is not None:
                _LEG_PROBLEMS.labels(leg.leg).inc()


def note_lag(seconds: float) -> None:
    """Count by how much the event loop was late."""
    with _whatever_becomes_of_it():
        _LOOP_LAG.observe(seconds)


@contextmanager
def _whatever_becomes_of_it() -> Iterator[None]:
    """Let nothing fail because it cannot be counted: the shared folder may be gone, or its disk full."""
    try:
        yield
    except OSError as error:
        log.warning("something is not counted: %s", error)
