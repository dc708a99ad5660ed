"""How entities stand at a moment: their states, their newest artifact and what superseded them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import asyncpg

from app.domain.temporal import AsOf, Branch, EntityState
from app.stores.postgres.artifacts import Outline
from app.stores.postgres.sql import blocks_beside
from app.stores.postgres.states import state_from
from app.stores.postgres.successions import superseders_as_of

SQL = blocks_beside(__file__)


@dataclass(frozen=True, slots=True)
class EntityStanding:
    """One entity at a moment; `superseders` are those directly above it, the latest first."""

    entity: UUID
    newest: Outline | None
    superseders: tuple[UUID, ...]
    states: dict[Branch, EntityState] = field(default_factory=dict)


async def standings_as_of(
    connection: asyncpg.Connection, tenant: int, entities: Sequence[UUID], moment: AsOf
) -> dict[UUID, EntityStanding]:
    """Answer how these entities, and those above them up to the heads, stand at a moment."""
    above = await superseders_as_of(connection, tenant, entities, moment)
    looked_at = {*entities, *(each for superseders in above.values() for each in superseders)}
    rows = await connection.fetch(SQL["standings_as_of"], tenant, list(looked_at), moment.valid, moment.known)
    found: dict[UUID, EntityStanding] = {}
    for row in rows:
        standing = found.setdefault(row["entity"], _standing(row, above))
        if row["id"] is not None:
            standing.states[Branch(row["branch"])] = state_from(row)
    return found


def _standing(row: asyncpg.Record, above: Mapping[UUID, Sequence[UUID]]) -> EntityStanding:
    entity, number = row["entity"], row["number"]
    newest = None if number is None else Outline(number, entity, row["number_created_at"])
    return EntityStanding(entity, newest, tuple(above.get(entity, ())))
