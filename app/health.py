"""The endpoints for operators: liveness, readiness and metrics."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from app.errors import CHALLENGE, Forbidden, TrigraphError, Unauthenticated
from app.metrics import IS_SHARED, metrics_registry
from app.projector.loop import Projector
from app.services.container import Memory
from app.services.maintenance.reembed import check_model
from app.stores.fallback_graph_reader import FallbackGraphReader
from app.stores.postgres import outbox
from app.stores.postgres.ledger_clock import read_clocks
from app.stores.postgres.migrate import pending_migrations
from app.stores.postgres.write_probe import lack_of_room

NO_STORE = {"cache-control": "no-store"}

# Any of several workers may answer, with its own gauges: each needs a series of its own.
_PROCESS_LABELS = {"worker": str(os.getpid())} if IS_SHARED else {}


async def _reasons_not_to_serve(memory: Memory) -> list[str]:
    """Return the reasons why requests cannot be served now; empty if they can.

    Check the database itself: its migrations, the model of its vectors, and whether it takes writes.
    """
    try:
        async with memory.database.reading(memory.caller.tenant) as connection:
            missing = [migration.label for migration in await pending_migrations(connection)]
            if missing:
                return [f"the ledger lacks {', '.join(missing)}; run `trigraph migrate`"]
            await check_model(connection, memory.embedder)
    except TrigraphError as error:
        return [error.message]
    return await _reasons_not_to_write(memory)


async def _reasons_not_to_write(memory: Memory) -> list[str]:
    no_room = None if memory.data is None else lack_of_room(memory.data)
    refusal = no_room or await memory.database.write_probe.refusal(memory.caller.tenant)
    return [] if refusal is None else [f"writes fail: {refusal}"]


async def _oddities(memory: Memory) -> list[str]:
    """Return warnings for an operator although requests are served: clocks that are wrong."""
    try:
        async with memory.database.reading(memory.caller.tenant) as connection:
            clocks = await read_clocks(connection, memory.caller.tenant)
    except TrigraphError as error:
        return [error.message]
    return [oddity for oddity in (clocks.difference, clocks.lead) if oddity is not None]


async def _changes_after(memory: Memory, position: int) -> int:
    """Return how many changes of the caller's tenant come after an outbox position."""
    async with memory.database.reading(memory.caller.tenant) as connection:
        return await outbox.count_after(connection, position)


async def healthz(_request: Request) -> Response:
    """Return that the process is alive."""
    return JSONResponse({"status": "alive"}, headers=NO_STORE)


async def readyz(request: Request) -> Response:
    """Return whether the service can answer requests now, and if not, why.

    A projection that fails, or a wrong clock, makes the service degraded, not unready: Postgres answers
    instead of the graph.
    """
    memory, projector = request.state.memory, request.state.projector
    reasons = await _reasons_not_to_serve(memory)
    body: dict[str, object] = {"status": "not ready" if reasons else "ready", "reasons": reasons}
    if not reasons and (warnings := await _oddities(memory)):
        body |= {"status": "degraded", "warnings": warnings}
    if projector is not None and not reasons:
        body["projection"] = await _projection(memory, projector)
        if projector.why_not is not None:
            body["status"] = "degraded"
    return JSONResponse(body, 503 if reasons else 200, headers=NO_STORE)


async def _projection(memory: Memory, projector: Projector) -> dict[str, object]:
    """Return the position of the graph, the number of this tenant's missing changes, and why it fails.

    The position and the number are None until the projector has read the graph.
    """
    position = projector.position
    return {
        "position": position,
        "behind": None if position is None else await _changes_after(memory, position),
        "failure": projector.why_not,
        "isStopped": projector.is_stopped,
    }


async def metrics(request: Request) -> Response:
    """Return the metrics in Prometheus' text format: counters, and the present state of this process.

    They count what all tenants do, so a token for them is one of an admin.
    """
    try:
        caller = await request.state.authenticator.identify(request.headers.getlist("authorization"))
        if not caller.may_administer or caller.project is not None:
            raise Forbidden("only an admin of every project reads the metrics; use the token of one")
    except TrigraphError as error:
        return _refusal(error)
    memory, projector = request.state.memory, request.state.projector
    found = [_gauge("ready", "Whether requests can be answered.", not await _reasons_not_to_serve(memory))]
    if projector is not None:
        found += await _projection_metrics(memory, projector)
    if isinstance(memory.graph, FallbackGraphReader):
        found += _graph_read_metrics(memory.graph)
    return Response(generate_latest(_Snapshot(found)), headers=NO_STORE, media_type=CONTENT_TYPE_PLAIN_0_0_4)


def _refusal(error: TrigraphError) -> Response:
    if isinstance(error, Unauthenticated):
        return PlainTextResponse(f"{error.message}\n", 401, {**NO_STORE, **CHALLENGE})
    status = 403 if isinstance(error, Forbidden) else 503
    return PlainTextResponse(f"{error.message}\n", status, NO_STORE)


async def _projection_metrics(memory: Memory, projector: Projector) -> list[Metric]:
    found = [
        _gauge("projection_up", "Whether the last attempt to project succeeded.", projector.why_not is None),
        _gauge("projection_stopped", "Whether the projection has stopped for good.", projector.is_stopped),
        _count("projection_failures", "Failed attempts to project.", projector.failures),
    ]
    if projector.succeeded_at is not None:
        seconds = monotonic() - projector.succeeded_at
        found.append(
            _gauge("projection_age_seconds", "Seconds since the graph was last up to date.", seconds)
        )
    if projector.position is not None:
        found += await _position_metrics(memory, projector.position)
    return found


async def _position_metrics(memory: Memory, position: int) -> list[Metric]:
    found = [_gauge("projection_position", "The position of the graph, for all tenants.", position)]
    with suppress(TrigraphError):
        behind = await _changes_after(memory, position)
        found.append(
            _gauge("projection_behind", "Changes of this tenant that are not projected yet.", behind)
        )
    return found


def _graph_read_metrics(graph: FallbackGraphReader) -> list[Metric]:
    return [
        _gauge("graph_connected", "Whether Neo4j has ever responded.", graph.preferred is not None),
        _gauge("graph_breaker_open", "Whether reads skip Neo4j because it failed.", graph.is_breaker_open),
        _count("graph_fallbacks", "Graph reads that Postgres served instead of Neo4j.", graph.fallbacks),
    ]


def _gauge(name: str, help_text: str, value: float) -> Metric:
    return _with_process_label(
        GaugeMetricFamily(f"trigraph_{name}", help_text, labels=list(_PROCESS_LABELS)), value
    )


def _count(name: str, help_text: str, value: float) -> Metric:
    return _with_process_label(
        CounterMetricFamily(f"trigraph_{name}", help_text, labels=list(_PROCESS_LABELS)), value
    )


def _with_process_label(family: GaugeMetricFamily | CounterMetricFamily, value: float) -> Metric:
    family.add_metric(list(_PROCESS_LABELS.values()), float(value))
    return family


class _Snapshot(Collector):
    """Collects the counters of the process, and gauges measured for one request."""

    def __init__(self, measured: list[Metric]) -> None:
        self._measured = measured

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        yield from metrics_registry().collect()
        yield from self._measured
