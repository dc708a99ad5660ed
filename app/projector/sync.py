"""Projecting what changed, in the order of the ledger, until nothing is left."""

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
"""Told how many rows of the ledger have been written since it was last told."""


async def fill(owner: asyncpg.Connection, graph: Graph, checkpoint: Checkpoint, watch: Watch) -> Checkpoint:
    """Write every row that the connection sees, and move to the last position of that moment at the end.

    Nothing is in the graph but what a fill that was cut off wrote before. The caller projects alone.
    """
    position, mark = await outbox.head(owner)
    async for rows in every_row(owner, CHANGES_AT_ONCE):
        await projection.write(graph, checkpoint, checkpoint, await read_piece(owner, rows))
        watch(len(rows))
    reached = replace(checkpoint, position=position, mark=mark)
    await projection.write(graph, checkpoint, reached, await read_piece(owner, ()))
    return reached


async def prepare(owner: asyncpg.Connection, graph: Graph) -> Checkpoint:
    """Return how far the graph is a copy of this ledger; an empty one becomes a copy that is at its start.

    Its constraints and indexes are there then. Raises Conflict when the graph is of another ledger, ahead
    of this one, or somebody else's. The caller projects alone.
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
    """Project what the connection sees and the graph lacks, whole transactions of the ledger at a time.

    Where some of what changed since is noted no more, all of the graph is filled anew instead.
    The graph equals the ledger as the connection sees it then. Raises Conflict as `prepare` does, and
    Unavailable when Neo4j does not answer. The caller projects alone.
    """
    checkpoint = await projection.checkpoint_of(graph)
    if checkpoint is None or not checkpoint.is_cleared:
        checkpoint = await prepare(owner, graph)
    else:
        await _refuse_strange(owner, graph, checkpoint)
    if checkpoint.position <= await outbox.horizon(owner) != 0:
        checkpoint = await _filled(owner, graph, checkpoint, watch)
    while changes := await outbox.changes_after(owner, checkpoint.position, CHANGES_AT_ONCE):
        piece = await read_piece(owner, changes.changes)
        reached = replace(checkpoint, position=changes.position, mark=changes.mark)
        await projection.write(graph, checkpoint, reached, piece)
        checkpoint = reached
        watch(len(changes.changes))
    return checkpoint


async def _filled(
    owner: asyncpg.Connection, graph: Graph, checkpoint: Checkpoint, watch: Watch
) -> Checkpoint:
    if checkpoint.position:
        # Whether what it holds is of this ledger as it is now, or was before a backup, nobody can tell.
        checkpoint = await projection.clear(graph, await projection.begin_anew(graph, checkpoint.ledger))
    return await fill(owner, graph, checkpoint, watch)


async def refuse_foreign(graph: Graph) -> None:
    """Raise Conflict when a graph that is no copy yet holds what a copy would be mixed with."""
    if await projection.is_used(graph):
        raise Conflict(
            f"the graph at {graph.uri} holds nodes that no projection wrote, labelled as its own are;"
            " point TRIGRAPH_NEO4J_URI at an empty one"
        )


async def _refuse_strange(owner: asyncpg.Connection, graph: Graph, checkpoint: Checkpoint) -> None:
    if checkpoint.ledger != await outbox.ledger_of(owner):
        raise Conflict(
            f"the graph at {graph.uri} is a copy of another ledger; point TRIGRAPH_NEO4J_URI at an empty one,"
            " or let `trigraph project rebuild` replace it"
        )
    is_noted = checkpoint.position > await outbox.horizon(owner)
    if is_noted and await outbox.mark_at(owner, checkpoint.position) != checkpoint.mark:
        raise Conflict(
            f"the graph at {graph.uri} tells of changes that the ledger lacks, as after it was restored"
            " from a backup; run `trigraph project rebuild`"
        )


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
