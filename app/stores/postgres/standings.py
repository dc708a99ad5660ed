"""How the entities of artifacts stand at a moment: their states, newest artifact and superseders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

import asyncpg

from app.domain.temporal import AsOf, Branch, EntityState
from app.stores.postgres.sql import blocks_beside
from app.stores.postgres.states import state_from
from app.stores.postgres.successions import superseders_as_of

SQL = blocks_beside(__file__)


@dataclass(frozen=True, slots=True)
class EntityStanding:
    """One entity at a moment.

    `artifacts` are those of its own that were asked about and `newest` the one that holds, by number;
    `superseders` are the entities directly above it, the latest first.
    """

    entity: UUID
    artifacts: tuple[int, ...]
    newest: int | None
    superseders: tuple[UUID, ...] = ()
    states: dict[Branch, EntityState] = field(default_factory=dict)


async def standings_as_of(
    connection: asyncpg.Connection, tenant: int, artifacts: Sequence[int], moment: AsOf
) -> dict[UUID, EntityStanding]:
    """Answer how the entities of these artifacts, and those above them up to the heads, stand at a moment."""
    rows = await _rows(connection, tenant, [], artifacts, moment)
    found = _standings(rows)
    replaced = {row["entity"] for row in rows if row["may_be_superseded"]}
    if not replaced:
        return found
    above = await superseders_as_of(connection, tenant, list(replaced), moment)
    others = {each for superseders in above.values() for each in superseders} - found.keys()
    if others:
        found |= _standings(await _rows(connection, tenant, list(others), [], moment))
    return {
        entity: replace(standing, superseders=tuple(above.get(entity, ())))
        for entity, standing in found.items()
    }


async def _rows(
    connection: asyncpg.Connection,
    tenant: int,
    entities: Sequence[UUID],
    artifacts: Sequence[int],
    moment: AsOf,
) -> list[asyncpg.Record]:
    rows: list[asyncpg.Record] = await connection.fetch(
        SQL["standings_as_of"], tenant, list(entities), moment.valid, moment.known, list(artifacts)
    )
    return rows


def _standings(rows: Sequence[asyncpg.Record]) -> dict[UUID, EntityStanding]:
    found: dict[UUID, EntityStanding] = {}
    for row in rows:
        entity = row["entity"]
        if entity not in found:
            found[entity] = EntityStanding(entity, tuple(row["numbers"] or ()), row["newest"])
        if row["id"] is not None:
            found[entity].states[Branch(row["branch"])] = state_from(row)
    return found
