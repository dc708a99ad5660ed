"""What people call entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from app.domain.ontology import label_of
from app.domain.temporal import AsOf
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


@dataclass(frozen=True, slots=True)
class Called:
    """What a person calls an entity, or its id, and the identifier it goes by, if any."""

    label: str
    identifier: str | None


async def labels_as_of(
    connection: asyncpg.Connection, tenant: int, entities: Sequence[UUID], moment: AsOf
) -> dict[UUID, str]:
    """Answer what a person calls each of these entities at a moment, or will, else its id."""
    called = await called_as_of(connection, tenant, entities, moment)
    return {entity: each.label for entity, each in called.items()}


async def called_as_of(
    connection: asyncpg.Connection, tenant: int, entities: Sequence[UUID], moment: AsOf
) -> dict[UUID, Called]:
    """Answer what a person calls each of these entities at a moment, or will, with its identifier."""
    rows = await connection.fetch(SQL["speaking_states"], tenant, list(entities), moment.valid, moment.known)
    known = {row["entity"]: _called(row) for row in rows}
    return {entity: known.get(entity) or Called(str(entity), None) for entity in entities}


def _called(row: asyncpg.Record) -> Called:
    label = label_of(row["props"], row["immutable_props"]) or str(row["entity"])
    identifier = row["props"].get("identifier")
    return Called(label, identifier if isinstance(identifier, str) else None)
