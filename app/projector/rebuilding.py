"""Filling the graph anew from the rows of the ledger itself, whatever was noted of their changes."""

from __future__ import annotations

from dataclasses import replace

import asyncpg

from app.domain.projection import Checkpoint
from app.projector.catching_up import CHANGES_AT_ONCE, Watch, refuse_foreign
from app.stores.neo4j import projection
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.migrate import migrate
from app.stores.postgres import outbox
from app.stores.postgres.ledger_graph import every_row, read_piece


async def rebuild(owner: asyncpg.Connection, graph: Graph, watch: Watch) -> Checkpoint:
    """Clear a graph that is a copy of any ledger, or empty, and make it one of this ledger.

    Cut off, it leaves a copy at its start, which the projector then fills by itself. Raises Conflict when
    the graph is somebody else's. The caller projects alone.
    """
    checkpoint = await _emptied(owner, graph)
    position, mark = await outbox.head(owner)
    async for rows in every_row(owner, CHANGES_AT_ONCE):
        await projection.write(graph, checkpoint, checkpoint, await read_piece(owner, rows))
        watch(len(rows))
    reached = replace(checkpoint, position=position, mark=mark)
    await projection.write(graph, checkpoint, reached, await read_piece(owner, ()))
    return reached


async def _emptied(owner: asyncpg.Connection, graph: Graph) -> Checkpoint:
    ledger = await outbox.ledger_of(owner)
    if await projection.checkpoint_of(graph) is None:
        await refuse_foreign(graph)
        await migrate(graph)
        return await projection.begin(graph, ledger)
    checkpoint = await projection.begin_anew(graph, ledger)
    await migrate(graph)
    return await projection.clear(graph, checkpoint)
