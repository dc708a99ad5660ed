"""Supersessions between entities: stated by references, in effect once the successor is in force."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.supersession import DatedStatus, Succession
from app.domain.temporal import AsOf, Interval
from app.stores.named_blocks import sql_blocks

SQL = sql_blocks(__file__)


async def superseders_as_of(
    connection: asyncpg.Connection, tenant: int, entities: Sequence[UUID], moment: AsOf
) -> dict[UUID, list[UUID]]:
    """Return the supersessions at a moment, followed from these entities to the newest successors.

    Keys are superseded entities; values their direct superseders, the latest first.
    """
    return await _superseders(connection, tenant, entities, [], moment)


async def superseders_of_artifacts(
    connection: asyncpg.Connection, tenant: int, artifacts: Sequence[int], moment: AsOf
) -> dict[UUID, list[UUID]]:
    """Return the supersessions at a moment, followed from the entities of these artifacts."""
    return await _superseders(connection, tenant, [], artifacts, moment)


async def _superseders(
    connection: asyncpg.Connection,
    tenant: int,
    entities: Sequence[UUID],
    artifacts: Sequence[int],
    moment: AsOf,
) -> dict[UUID, list[UUID]]:
    rows = await connection.fetch(
        SQL["successions_above"], tenant, list(entities), moment.valid, moment.known, list(artifacts)
    )
    above: dict[UUID, dict[UUID, datetime]] = defaultdict(dict)
    for succession in map(_succession, rows):
        start = succession.effective_from
        if start is not None and start <= moment.valid:
            above[succession.predecessor][succession.successor] = start
    return {entity: _latest_first(superseders) for entity, superseders in above.items()}


async def successions_around(connection: asyncpg.Connection, tenant: int, entity: UUID) -> list[Succession]:
    """Return the current supersessions by and of an entity, in effect or not."""
    rows = await connection.fetch(SQL["successions_around"], tenant, entity)
    return [_succession(row) for row in rows]


def _latest_first(superseders: dict[UUID, datetime]) -> list[UUID]:
    return sorted(sorted(superseders), key=superseders.__getitem__, reverse=True)


def _succession(row: asyncpg.Record) -> Succession:
    said = zip(row["starts"] or (), row["ends"] or (), row["statuses"] or (), strict=True)
    return Succession(
        predecessor=row["superseded"],
        successor=row["superseder"],
        valid=Interval(row["valid_from"], row["valid_until"]),
        stated_from=row["stated_from"],
        by_predecessor=row["by_predecessor"],
        statuses=tuple(DatedStatus(Interval(start, end), status) for start, end, status in said),
    )
