"""The graph leg's reads: along references from anchors, or across shared mentions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

import asyncpg

from app.domain.entity import ReferenceType
from app.domain.recall import Proposal
from app.stores.graph_reader import ARTIFACTS_PER_ENTITY, MENTIONED_ENTITIES, REFERENCES_PER_ANCHOR
from app.stores.postgres.proposals import proposal_from
from app.stores.postgres.scope import Scope
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


async def artifacts_beside(
    connection: asyncpg.Connection,
    scope: Scope,
    anchors: Sequence[UUID],
    strengths: Mapping[ReferenceType, float],
    limit: int,
) -> Proposal:
    """Answer the artifacts one reference away from the anchors, either way, by strength and count."""
    rows = await connection.fetch(
        SQL["artifacts_beside"],
        scope.tenant,
        list(anchors),
        scope.moment.valid,
        scope.moment.known,
        list(strengths),
        list(strengths.values()),
        REFERENCES_PER_ANCHOR,
        limit,
        list(scope.projects),
        scope.types,
        scope.domains,
    )
    return proposal_from(rows)


async def artifacts_sharing_mentions(
    connection: asyncpg.Connection, scope: Scope, seeds: Sequence[int], limit: int
) -> Proposal:
    """Answer the artifacts that mention, or are, what the seeds mention, the rarer the better."""
    rows = await connection.fetch(
        SQL["artifacts_sharing_mentions"],
        scope.tenant,
        list(seeds),
        scope.moment.valid,
        scope.moment.known,
        MENTIONED_ENTITIES,
        ARTIFACTS_PER_ENTITY,
        limit,
        list(scope.projects),
        scope.types,
        scope.domains,
    )
    return proposal_from(rows)
