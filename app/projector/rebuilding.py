"""Making the graph a copy of this ledger anew, of whichever it was one before."""

from __future__ import annotations

import asyncpg

from app.domain.projection import Checkpoint
from app.projector.catching_up import refuse_foreign
from app.projector.filling import Watch, fill
from app.stores.neo4j import projection
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.migrate import migrate
from app.stores.postgres import outbox


async def rebuild(owner: asyncpg.Connection, graph: Graph, watch: Watch) -> Checkpoint:
    """Clear a graph that is a copy of any ledger, or empty, and make it one of this ledger.

    Cut off, it leaves a copy at its start, which the projector then fills by itself. Raises Conflict when
    the graph is somebody else's. The caller projects alone.
    """
    return await fill(owner, graph, await _emptied(owner, graph), watch)


async def _emptied(owner: asyncpg.Connection, graph: Graph) -> Checkpoint:
    ledger = await outbox.ledger_of(owner)
    if await projection.checkpoint_of(graph) is None:
        await refuse_foreign(graph)
        await migrate(graph)
        return await projection.begin(graph, ledger)
    checkpoint = await projection.begin_anew(graph, ledger)
    await migrate(graph)
    return await projection.clear(graph, checkpoint)
