"""Time what is read of the graph from Neo4j beside Postgres: `python -m tests.benchmarks.graph_reads [SEED]`.

Reads the ledger and the graph that the environment names; `trigraph projection rebuild` fills it first.
Prints as JSON, for both stores and each kind of read, the milliseconds of the median and of the 95th
percentile, and how many of the answers are the same: all have to be. Both are asked in turn.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Awaitable, Callable
from random import Random
from time import perf_counter
from uuid import UUID

from app.benchmark.load import percentiles
from app.domain.recall import Proposal
from app.domain.temporal import AsOf, present
from app.errors import Invalid
from app.services.container import Memory, open_memory
from app.services.recall.legs.graph import EDGE_WEIGHTS
from app.settings import read_settings
from app.stores.graph_reader import GraphReader
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import locate_graph
from app.stores.neo4j.traversal import Neo4jTraversal
from app.stores.postgres import ledger_clock
from app.stores.postgres.graph_reader import PostgresTraversal
from app.stores.postgres.scope import Scope

QUESTIONS, REPEATS, SEEDS, CANDIDATES = 200, 3, 10, 100

Read = Callable[[GraphReader], Awaitable[object]]


async def _scope(memory: Memory) -> Scope:
    tenant = memory.caller.tenant
    async with memory.database.reading(tenant) as connection:
        extent = await ledger_clock.read_extent(connection, tenant, None)
    return Scope(tenant, extent.projects, AsOf(present(extent.clock), extent.clock))


async def _things(memory: Memory) -> tuple[list[UUID], list[int]]:
    """Return the entities that have a reference, and the numbers of all artifacts."""
    tenant = memory.caller.tenant
    async with memory.database.reading(tenant) as connection:
        ends = await connection.fetch("SELECT source AS id FROM reference UNION SELECT target FROM reference")
        numbers = await connection.fetch("SELECT number FROM artifact ORDER BY number")
    return sorted(row["id"] for row in ends), [row["number"] for row in numbers]


def _reads(scope: Scope, entities: list[UUID], numbers: list[int], random: Random) -> dict[str, Read]:
    """Return one read of each kind, about things at random."""
    anchor, target = random.sample(entities, 2)
    seeds = random.sample(numbers, SEEDS)
    moment = scope.moment
    return {
        "graph leg": lambda graph: graph.artifacts_beside(scope, [anchor], EDGE_WEIGHTS, CANDIDATES),
        "shared mentions": lambda graph: graph.artifacts_sharing_mentions(scope, seeds, CANDIDATES),
        "neighbours, 1 step": lambda graph: graph.neighbours(scope.tenant, [anchor], 1, 50, moment),
        "neighbours, 3 steps": lambda graph: graph.neighbours(scope.tenant, [anchor], 3, 100, moment),
        "path": lambda graph: graph.path(scope.tenant, anchor, target, 4, moment),
    }


async def measure(memory: Memory, graph: Graph, seed: int) -> dict[str, object]:
    """Ask both stores everything and answer the table."""
    scope = await _scope(memory)
    entities, numbers = await _things(memory)
    stores: dict[str, GraphReader] = {
        "postgres": PostgresTraversal(memory.database),
        "neo4j": Neo4jTraversal(graph, memory.database),
    }
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    same: dict[str, int] = defaultdict(int)
    random = Random(seed)
    for _ in range(QUESTIONS):
        for kind, read in _reads(scope, entities, numbers, random).items():
            answers = {name: await _timed(store, read, times[kind, name]) for name, store in stores.items()}
            same[kind] += answers["postgres"] == answers["neo4j"]
    return {
        kind: {name: percentiles(times[kind, name]) for name in stores} | {"same": same[kind]}
        for kind in same
    }


async def _timed(graph: GraphReader, read: Read, times: list[float]) -> object:
    """Return what a read tells, and add the milliseconds of the fastest of a few."""
    took = []
    for _ in range(REPEATS):
        started = perf_counter()
        found = await read(graph)
        took.append((perf_counter() - started) * 1000)
    times.append(min(took))
    return list(found.candidates) if isinstance(found, Proposal) else found


async def main(seed: int) -> None:
    """Open both stores, measure and print."""
    settings = read_settings()
    location = await locate_graph(settings)
    if location is None:
        raise Invalid("there is no graph to read: set TRIGRAPH_NEO4J_URI")
    try:
        async with open_memory(settings) as memory, Graph(location) as graph:
            sys.stdout.write(json.dumps(await measure(memory, graph, seed), indent=2) + "\n")
    finally:
        await location.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
