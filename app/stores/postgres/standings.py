"""How the entities of artifacts stand at a moment: their states and their newest artifact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import asyncpg

from app.domain.temporal import AsOf, Branch, EntityState
from app.stores.postgres.sql import blocks_beside
from app.stores.postgres.states import state_from

SQL = blocks_beside(__file__)


@dataclass(frozen=True, slots=True)
class EntityStanding:
    """One entity at a moment; of its artifacts those that were asked about, and its newest, by number."""

    entity: UUID
    artifacts: tuple[int, ...]
    newest: int | None
    states: dict[Branch, EntityState] = field(default_factory=dict)


async def standings_as_of(
    connection: asyncpg.Connection, tenant: int, artifacts: Sequence[int], moment: AsOf
) -> dict[UUID, EntityStanding]:
    """Answer how the entities of artifacts stand at a moment, and all that are said to supersede them."""
    rows = await connection.fetch(SQL["standings_as_of"], tenant, list(artifacts), moment.valid, moment.known)
    found: dict[UUID, EntityStanding] = {}
    for row in rows:
        entity = row["entity"]
        if entity not in found:
            found[entity] = EntityStanding(entity, tuple(row["numbers"] or ()), row["newest"])
        if row["id"] is not None:
            found[entity].states[Branch(row["branch"])] = state_from(row)
    return found
