"""What whoever operates the service asks of it: does it live, can it work, and what does it measure."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.errors import TrigraphError
from app.metrics import IS_SHARED, all_counted
from app.projector.loop import Projector
from app.services.container import Memory
from app.services.readiness import changes_after, oddities, reasons_not_to_serve
from app.stores.fallback_graph_reader import FallbackGraphReader

NOT_STORED = {"cache-control": "no-store"}

# Of several processes, whichever answers tells how it stands itself; the series of each must be its own.
_PROCESS = {"worker": str(os.getpid())} if IS_SHARED else {}


async def healthz(_request: Request) -> Response:
    """Say that the process lives."""
    return JSONResponse({"status": "alive"}, headers=NOT_STORED)


async def readyz(request: Request) -> Response:
    """Say whether requests can be answered now, and if not, why.

    A graph that is not projected makes it degraded and not unready: the ledger answers instead. So does a
    clock that is wrong.
    """
    memory, projector = request.state.memory, request.state.projector
    reasons = await reasons_not_to_serve(memory)
    told: dict[str, object] = {"status": "not ready" if reasons else "ready", "reasons": reasons}
    if not reasons and (warnings := await oddities(memory)):
        told |= {"status": "degraded", "warnings": warnings}
    if projector is not None and not reasons:
        told["projection"] = await _projection(memory, projector)
        if projector.why_not is not None:
            told["status"] = "degraded"
    return JSONResponse(told, 503 if reasons else 200, headers=NOT_STORED)


async def _projection(memory: Memory, projector: Projector) -> dict[str, object]:
    """Say how far the graph has come, how many changes of this tenant it lacks, and why it stands still.

    The first two are None until the graph was looked at.
    """
    position = projector.position
    return {
        "position": position,
        "behind": None if position is None else await changes_after(memory, position),
        "failure": projector.why_not,
        "isStopped": projector.is_stopped,
    }


async def metrics(request: Request) -> Response:
    """Tell in Prometheus' text what was measured, and how the parts of this process stand now."""
    memory, projector = request.state.memory, request.state.projector
    found = [_gauge("ready", "Whether requests can be answered.", not await reasons_not_to_serve(memory))]
    if projector is not None:
        found += await _of_projection(memory, projector)
    if isinstance(memory.graph, FallbackGraphReader):
        found += _of_reads(memory.graph)
    return Response(generate_latest(_Look(found)), headers=NOT_STORED, media_type=CONTENT_TYPE_PLAIN_0_0_4)


async def _of_projection(memory: Memory, projector: Projector) -> list[Metric]:
    found = [
        _gauge("projection_up", "Whether the last attempt to project succeeded.", projector.why_not is None),
        _gauge("projection_stopped", "Whether there will be no other attempt.", projector.is_stopped),
        _count("projection_failures", "Attempts to project that failed.", projector.failures),
    ]
    if projector.succeeded_at is not None:
        seconds = monotonic() - projector.succeeded_at
        found.append(
            _gauge("projection_age_seconds", "Seconds since the graph equalled the ledger.", seconds)
        )
    if projector.position is not None:
        found += await _of_position(memory, projector.position)
    return found


async def _of_position(memory: Memory, position: int) -> list[Metric]:
    found = [_gauge("projection_position", "The position of the graph, of all tenants.", position)]
    with suppress(TrigraphError):
        behind = await changes_after(memory, position)
        found.append(_gauge("projection_behind", "Changes of this tenant that the graph lacks.", behind))
    return found


def _of_reads(graph: FallbackGraphReader) -> list[Metric]:
    return [
        _gauge("graph_connected", "Whether Neo4j was ever reached to read it.", graph.preferred is not None),
        _gauge("graph_breaker_open", "Whether Neo4j is let be since it failed.", graph.is_let_be),
        _count("graph_fallbacks", "Reads that Postgres answered in Neo4j's place.", graph.fallbacks),
    ]


def _gauge(name: str, told: str, value: float) -> Metric:
    return _of_this_process(GaugeMetricFamily(f"trigraph_{name}", told, labels=list(_PROCESS)), value)


def _count(name: str, told: str, value: float) -> Metric:
    return _of_this_process(CounterMetricFamily(f"trigraph_{name}", told, labels=list(_PROCESS)), value)


def _of_this_process(family: GaugeMetricFamily | CounterMetricFamily, value: float) -> Metric:
    family.add_metric(list(_PROCESS.values()), float(value))
    return family


class _Look(Collector):
    """What the process counted, and how things stand at one look."""

    def __init__(self, standing: list[Metric]) -> None:
        self._standing = standing

    def collect(self) -> Iterator[Metric]:
        """Yield all of it."""
        yield from all_counted().collect()
        yield from self._standing
