"""How far the graph has come, for whoever looks from outside."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import asyncpg

from app.domain.moment import from_microseconds
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.projection import checkpoint_of, failure_of
from app.stores.postgres import outbox


@dataclass(frozen=True, slots=True)
class Standing:
    """The graph's position beside the ledger's, and why it does not move on if something is known to stop it.

    `position` is None where the graph is no copy of this ledger.
    """

    position: int | None
    ledger_position: int
    behind: int
    failure: str | None = None
    failed_at: datetime | None = None


async def read_standing(owner: asyncpg.Connection, graph: Graph) -> Standing:
    """Answer how far the graph has come; raises Unavailable when Neo4j does not answer."""
    checkpoint = await checkpoint_of(graph)
    last, _ = await outbox.head(owner)
    if checkpoint is None:
        return Standing(None, last, await outbox.count_after(owner, 0))
    if checkpoint.ledger != await outbox.ledger_of(owner):
        other = "the graph is a copy of another ledger; run `trigraph project rebuild` to replace it"
        return Standing(None, last, await outbox.count_after(owner, 0), other)
    behind = await outbox.count_after(owner, checkpoint.position)
    failure = await failure_of(graph)
    if failure is None:
        return Standing(checkpoint.position, last, behind)
    return Standing(checkpoint.position, last, behind, failure.reason, from_microseconds(failure.at))
