"""What is noted of each request, and the metrics of a process or of several that share a folder."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from time import perf_counter
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.multiprocess import MultiProcessCollector

from app.domain.recall import Ranking
from app.services.served_operation import DatabaseUse

disable_created_metrics()  # type: ignore[no-untyped-call]

NOTES = "trigraph.notes"
"""The key in the scope of a request under which its notes are."""


@dataclass(slots=True)
class RequestNotes:
    """What is noted of a request for its log line and headers: no query, and no variables.

    `timings` has milliseconds by name.
    """

    id: str
    client: str = "-"
    operation: str = "-"
    timings: dict[str, float] = field(default_factory=dict)


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
_OPERATIONS = Counter(
    "trigraph_graphql_operations",
    "Number of operations by name, client and outcome.",
    ("operation", "client", "outcome"),
    registry=_OWN,
)
_OPERATION_SECONDS = Histogram(
    "trigraph_graphql_operation_seconds",
    "Duration of an operation in seconds, by its name.",
    ("operation",),
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


@dataclass(slots=True)
class OperationWatch:
    """What is noted of an operation while it is served."""

    notes: RequestNotes
    started: float
    use: DatabaseUse = field(default_factory=DatabaseUse)
    outcome: str = "errors"
    cost: int | None = None

    def end_check(self, name: str | None) -> None:
        """Note that the document is checked, and the name of the operation."""
        self.notes.operation = name or "-"
        self.notes.timings["check"] = (perf_counter() - self.started) * 1000

    def end(self, errors: object, extensions: Mapping[str, Any] | None) -> None:
        """Note how the operation ended, and what it cost."""
        self.outcome = "errors" if errors else "ok"
        self.cost = (extensions or {}).get("cost", {}).get("requested")


@contextmanager
def watched_operation(notes: RequestNotes, document: str, slow: float) -> Iterator[OperationWatch]:
    """Record the operation of the block, and log one that takes more than `slow` seconds."""
    watch = OperationWatch(notes, perf_counter())
    try:
        yield watch
    finally:
        seconds = perf_counter() - watch.started
        notes.timings["execute"] = seconds * 1000 - notes.timings.get("check", 0.0)
        if watch.use.statements:
            notes.timings["database"] = watch.use.seconds * 1000
        record_operation(notes, watch.outcome, seconds)
        if seconds > slow:
            log.warning(
                "slow operation %s: %.0f ms, %d statements in %.0f ms, cost %s, document %s, client %s,"
                " request %s",
                notes.operation,
                seconds * 1000,
                watch.use.statements,
                watch.use.seconds * 1000,
                watch.cost,
                hashlib.sha256(document.encode(errors="replace")).hexdigest()[:16],
                notes.client,
                notes.id,
            )


OTHER = "other"
MAX_LABELS = 100


class BoundedLabels:
    """The first hundred values of a label; those that come later count as one, since each is a series."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def of(self, value: str) -> str:
        """Return a value, or `other`."""
        if value not in self._known:
            if len(self._known) >= MAX_LABELS:
                return OTHER
            self._known.add(value)
        return value


_operation_labels, _client_labels = BoundedLabels(), BoundedLabels()


def record_operation(notes: RequestNotes, outcome: str, seconds: float) -> None:
    """Count and time an operation; the name of a client counts without its version."""
    operation = _operation_labels.of(notes.operation)
    client = _client_labels.of(notes.client.partition("/")[0])
    with _log_write_errors():
        count, duration = _operation_series(operation, client, outcome)
        count.inc()
        duration.observe(seconds)


@cache
def _operation_series(operation: str, client: str, outcome: str) -> tuple[Counter, Histogram]:
    return _OPERATIONS.labels(operation, client, outcome), _OPERATION_SECONDS.labels(operation)


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
