"""Project the changes of the ledger in order, until none is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import asyncpg

from app.domain.projection import Checkpoint
from app.errors import Conflict
from app.stores.neo4j import projection
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.projection import migrate
from app.stores.postgres import outbox
from app.stores.postgres.graph_export import every_row, read_piece

CHANGES_AT_ONCE = 1000

Watch: TypeAlias = Callable[[int], None]
"""Called with the number of ledger rows written since the last call."""


async def fill(owner: asyncpg.Connection, graph: Graph, checkpoint: Checkpoint, watch: Watch) -> Checkpoint:
    """Write every row that the connection sees, and then move to the last position of that snapshot.

    The graph must be empty except for the rows of an interrupted fill. The caller holds the projection lock.
    """
    position, mark = await outbox.outbox_position(owner)
    async for rows in every_row(owner, CHANGES_AT_ONCE):
        await projection.write(graph, checkpoint, checkpoint, await read_piece(owner, rows))
        watch(len(rows))
    reached = replace(checkpoint, position=position, mark=mark)
    await projection.write(graph, checkpoint, reached, await read_piece(owner, ()))
    return reached


async def prepare(owner: asyncpg.Connection, graph: Graph) -> Checkpoint:
    """Return the checkpoint of a copy of this ledger; an empty graph becomes a copy at position 0.

    Creates constraints and indexes. Raises Conflict when the graph belongs to another ledger, is ahead of
    this one, or has foreign data. The caller holds the projection lock.
    """
    checkpoint = await projection.checkpoint_of(graph)
    if checkpoint is None:
        await refuse_foreign(graph)
    else:
        await _refuse_strange(owner, graph, checkpoint)
    await migrate(graph)
    if checkpoint is None:
        return await projection.begin(graph, await outbox.ledger_of(owner))
    return checkpoint if checkpoint.is_cleared else await projection.clear(graph, checkpoint)


async def catch_up(owner: asyncpg.Connection, graph: Graph, watch: Watch) -> Checkpoint:
    """Project the changes that the connection sees and the graph lacks, in whole ledger transactions.

    If some of the changes were pruned from the outbox, the whole graph is filled anew instead.
    Afterwards the graph equals the ledger as the connection sees it. Raises Conflict as `prepare` does, and
    Unavailable when Neo4j does not answer. The caller holds the projection lock.
    """
    checkpoint = await projection.checkpoint_of(graph)
    if checkpoint is None or not checkpoint.is_cleared:
        checkpoint = await prepare(owner, graph)
    else:
        await _refuse_strange(owner, graph, checkpoint)
    if checkpoint.position <= await outbox.horizon(owner) != 0:
        checkpoint = await _fill_anew(owner, graph, checkpoint, watch)
    while changes := await outbox.changes_after(owner, checkpoint.position, CHANGES_AT_ONCE):
        piece = await read_piece(owner, changes.changes)
        reached = replace(checkpoint, position=changes.position, mark=changes.mark)
        await projection.write(graph, checkpoint, reached, piece)
        checkpoint = reached
        watch(len(changes.changes))
    return checkpoint


async def _fill_anew(
    owner: asyncpg.Connection, graph: Graph, checkpoint: Checkpoint, watch: Watch
) -> Checkpoint:
    if checkpoint.position:
        # Whether what it holds is of this ledger as it is now, or was before a backup, nobody can tell.
        checkpoint = await projection.clear(graph, await projection.begin_anew(graph, checkpoint.ledger))
    return await fill(owner, graph, checkpoint, watch)


async def refuse_foreign(graph: Graph) -> None:
    """Raise Conflict when a graph that is not a copy yet has data that a copy would be mixed with."""
    if await projection.is_used(graph):
        raise Conflict(
            f"the graph at {graph.uri} has nodes with the labels of the projection that no"
            " projection wrote; set TRIGRAPH_NEO4J_URI to an empty graph"
        )


async def _refuse_strange(owner: asyncpg.Connection, graph: Graph, checkpoint: Checkpoint) -> None:
    if checkpoint.ledger != await outbox.ledger_of(owner):
        raise Conflict(
            f"the graph at {graph.uri} is a copy of another ledger; set TRIGRAPH_NEO4J_URI"
            " to an empty graph, or run `trigraph projection rebuild` to replace it"
        )
    is_noted = checkpoint.position > await outbox.horizon(owner)
    if is_noted and await outbox.mark_at(owner, checkpoint.position) != checkpoint.mark:
        raise Conflict(
            f"the graph at {graph.uri} has changes that the ledger lacks, for example"
            " because the ledger was restored from a backup; run `trigraph projection"
            " rebuild`"
        )


async def rebuild(owner: asyncpg.Connection, graph: Graph, watch: Watch) -> Checkpoint:
    """Clear a graph that is empty or a copy of any ledger, and make it a copy of this ledger.

    If interrupted, it leaves a copy at position 0, which the projector then fills. Raises Conflict when the
    graph has foreign data. The caller holds the projection lock.
    """
    return await fill(owner, graph, await _empty(owner, graph), watch)


async def _empty(owner: asyncpg.Connection, graph: Graph) -> Checkpoint:
    ledger = await outbox.ledger_of(owner)
    if await projection.checkpoint_of(graph) is None:
        await refuse_foreign(graph)
        await migrate(graph)
        return await projection.begin(graph, ledger)
    checkpoint = await projection.begin_anew(graph, ledger)
    await migrate(graph)
    return await projection.clear(graph, checkpoint)
