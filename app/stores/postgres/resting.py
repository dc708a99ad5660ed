"""References that documents got by a name of what they join."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

import asyncpg

from app.domain.entity import ReferenceType
from app.domain.identifier import identifier_key
from app.domain.surface_form import name_key
from app.stores.postgres.references import PendingReference
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


async def references_resting_on(
    connection: asyncpg.Connection, tenant: int, entity: UUID, forms: Sequence[str]
) -> dict[UUID, PendingReference]:
    """Answer what documents referred to as an entity by these forms alone, as they wait for such a name.

    By the id of the reference. What a caller stated rests on no name, and neither does what a document of
    the entity says.
    """
    names, keys = [name_key(form) for form in forms], [identifier_key(form) for form in forms]
    rows = await connection.fetch(SQL["resting_on"], tenant, entity, names, keys)
    return {row["reference"]: _waiting(row) for row in rows}


def _waiting(row: asyncpg.Record) -> PendingReference:
    return PendingReference(
        id=uuid4(),
        source=row["source"],
        source_key=row["source_key"],
        source_uri=row["source_uri"],
        target_key=identifier_key(row["target_text"]),
        target_text=row["target_text"],
        type=ReferenceType(row["type"]),
        inverted=row["inverted"],
        occurrences=row["occurrences"],
        is_ambiguous=False,
        source_artifact=row["source_artifact"],
        valid_from=row["valid_from"],
    )
