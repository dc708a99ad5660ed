"""Filling the graph from the rows of the ledger themselves, whatever was noted of their changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import asyncpg

from app.domain.projection import Checkpoint
from app.stores.neo4j import projection
from app.stores.neo4j.driver import Graph
from app.stores.postgres import outbox
from app.stores.postgres.ledger_graph import every_row, read_piece

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
