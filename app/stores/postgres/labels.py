"""What people call entities."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import asyncpg

from app.domain.ontology import label_of
from app.domain.temporal import AsOf
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


async def labels_as_of(
    connection: asyncpg.Connection, tenant: int, entities: Sequence[UUID], moment: AsOf
) -> dict[UUID, str]:
    """Answer what a person calls each of these entities at a moment, or will, else its id."""
    rows = await _speaking_states(connection, tenant, entities, moment)
    known = {row["entity"]: label_of(row["props"], row["immutable_props"]) for row in rows}
    return {entity: known.get(entity) or str(entity) for entity in entities}


async def identifiers_as_of(
    connection: asyncpg.Connection, tenant: int, entities: Sequence[UUID], moment: AsOf
) -> dict[UUID, str]:
    """Answer the identifiers of those of these entities that have one at a moment, or will."""
    rows = await _speaking_states(connection, tenant, entities, moment)
    stated = {row["entity"]: row["props"].get("identifier") for row in rows}
    return {entity: identifier for entity, identifier in stated.items() if isinstance(identifier, str)}


async def _speaking_states(
    connection: asyncpg.Connection, tenant: int, entities: Sequence[UUID], moment: AsOf
) -> list[asyncpg.Record]:
    rows: list[asyncpg.Record] = await connection.fetch(
        SQL["speaking_states"], tenant, list(entities), moment.valid, moment.known
    )
    return rows
