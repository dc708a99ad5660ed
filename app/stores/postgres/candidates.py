"""The review queues: what extractors noticed and nobody has judged yet."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

import asyncpg

from app.domain.artifact import AliasClaim, FactClaim
from app.domain.surface_form import fold
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


async def queue_alias(
    connection: asyncpg.Connection,
    tenant: int,
    project: int,
    entity: UUID,
    artifact: UUID,
    claim: AliasClaim,
    recorded_at: datetime,
) -> bool:
    """Queue a likely alias of an entity; tell whether it is new."""
    queued = await connection.fetchval(
        SQL["insert_alias_candidate"],
        tenant,
        uuid4(),
        project,
        claim.form,
        fold(claim.form),
        entity,
        claim.quote.text,
        claim.quote.start,
        artifact,
        recorded_at,
    )
    return queued is not None


async def queue_fact(
    connection: asyncpg.Connection,
    tenant: int,
    project: int,
    entity: UUID,
    artifact: UUID,
    claim: FactClaim,
    recorded_at: datetime,
) -> bool:
    """Queue a likely fact about an entity; tell whether it is new."""
    queued = await connection.fetchval(
        SQL["insert_fact_candidate"],
        tenant,
        uuid4(),
        project,
        entity,
        claim.property,
        claim.value,
        claim.quote.text,
        claim.quote.start,
        artifact,
        recorded_at,
    )
    return queued is not None
