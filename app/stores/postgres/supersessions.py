"""Supersessions between entities: stated by references, in effect once the successor is in force."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.numbers import ArtifactNumber, TenantNumber
from app.domain.status_words import is_or_was_in_force
from app.domain.supersession import DatedStatus, Succession, SuccessionOrder
from app.domain.temporal import AsOf, Interval
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.status_words import team_words

SQL = sql_blocks(__file__)


async def superseders_as_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID], moment: AsOf
) -> dict[UUID, list[UUID]]:
    """Return the supersessions at a moment, followed from these entities to the newest successors.

    Keys are superseded entities; values their direct superseders, the latest first.
    """
    return await _superseders(connection, tenant, entities, [], moment)


async def superseders_since(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, moment: AsOf
) -> list[tuple[UUID, datetime]]:
    """Return the entities that supersede another at a moment, each with since when, the earliest first."""
    above = await _successions_above(connection, tenant, [entity], [], moment)
    own = [each for each in above if each.predecessor == entity]
    starts = [(each.order_at(start), each) for each in own if (start := each.effective_from) is not None]
    held = sorted((order, each.successor) for order, each in starts if order[0] <= moment.valid)
    first: dict[UUID, datetime] = {}
    for (since, *_), successor in held:
        first.setdefault(successor, since)
    return list(first.items())


async def superseders_in_part(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, moment: AsOf
) -> list[tuple[UUID, datetime]]:
    """Return the entities that supersede a part of another, each with since when, the earliest first."""
    asked = (entity, moment.valid, moment.known)
    return [
        (row["source"], row["valid_from"])
        for row in await connection.fetch(SQL["successors_in_part"], tenant, *asked)
        if is_or_was_in_force(row["props"].get("status"), team_words(row["team_words"]))
    ]


async def superseders_of_artifacts(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    artifacts: Sequence[ArtifactNumber],
    moment: AsOf,
    entities: Sequence[UUID] = (),
) -> dict[UUID, list[UUID]]:
    """Return the supersessions at a moment, followed from these entities and those of these artifacts."""
    return await _superseders(connection, tenant, entities, artifacts, moment)


async def _superseders(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    entities: Sequence[UUID],
    artifacts: Sequence[ArtifactNumber],
    moment: AsOf,
) -> dict[UUID, list[UUID]]:
    above: dict[UUID, dict[UUID, SuccessionOrder]] = defaultdict(dict)
    for succession in await _successions_above(connection, tenant, entities, artifacts, moment):
        start = succession.effective_from
        if start is not None and start <= moment.valid:
            above[succession.predecessor][succession.successor] = succession.order_at(start)
    return {entity: _latest_first(superseders) for entity, superseders in above.items()}


async def _successions_above(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    entities: Sequence[UUID],
    artifacts: Sequence[ArtifactNumber],
    moment: AsOf,
) -> list[Succession]:
    rows = await connection.fetch(
        SQL["successions_above"], tenant, list(entities), moment.valid, moment.known, list(artifacts)
    )
    return [_succession(row) for row in rows]


async def successions_around(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID
) -> list[Succession]:
    """Return the current supersessions by and of an entity, in effect or not."""
    rows = await connection.fetch(SQL["successions_around"], tenant, entity)
    return [_succession(row) for row in rows]


def _latest_first(superseders: dict[UUID, SuccessionOrder]) -> list[UUID]:
    return sorted(superseders, key=superseders.__getitem__, reverse=True)


def _succession(row: asyncpg.Record) -> Succession:
    said = zip(row["starts"] or (), row["ends"] or (), row["statuses"] or (), strict=True)
    return Succession(
        predecessor=row["superseded"],
        successor=row["superseder"],
        successor_key=row["successor_key"],
        valid=Interval(row["valid_from"], row["valid_until"]),
        stated_from=row["stated_from"],
        by_predecessor=row["by_predecessor"],
        statuses=tuple(DatedStatus(Interval(start, end), status) for start, end, status in said),
        team=team_words(row["team_words"]),
    )
