"""A graph reader on the ledger itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

import asyncpg

from app.domain.breadth_first_search import Around, Neighbour, Step, neighbours_of, shortest_path
from app.domain.entity import Direction, Reference, ReferenceType
from app.domain.numbers import ArtifactNumber, TenantNumber
from app.domain.recall import Proposal
from app.domain.temporal import AsOf
from app.stores.graph_reader import (
    ARTIFACTS_PER_ENTITY,
    MENTIONED_ENTITIES,
    REFERENCES_PER_ANCHOR,
    REFERENCES_PER_ENTITY,
)
from app.stores.named_blocks import sql_blocks
from app.stores.postgres import entity_edges
from app.stores.postgres.entity_edges import ReferencesAround
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope, proposal_from

SQL = sql_blocks(__file__)


async def artifacts_beside(
    connection: asyncpg.Connection,
    scope: Scope,
    anchors: Sequence[UUID],
    strengths: Mapping[ReferenceType, float],
    limit: int,
) -> Proposal:
    """Return the artifacts one reference from the anchors, in either direction, by strength and count."""
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
        list(scope.absent),
    )
    return proposal_from(rows)


async def artifacts_sharing_mentions(
    connection: asyncpg.Connection, scope: Scope, seeds: Sequence[ArtifactNumber], limit: int
) -> Proposal:
    """Return the artifacts that mention, or are, what the seeds mention; rare entities count more."""
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
        list(scope.absent),
        scope.begun_as_known(by_then=True),
        scope.begun_as_known(by_then=False),
    )
    return proposal_from(rows)


class PostgresTraversal:
    """A GraphReader on the ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def artifacts_beside(
        self, scope: Scope, anchors: Sequence[UUID], strengths: Mapping[ReferenceType, float], limit: int
    ) -> Proposal:
        """Return what GraphReader specifies, in one statement."""
        async with self._database.reading(scope.tenant) as connection:
            return await artifacts_beside(connection, scope, anchors, strengths, limit)

    async def artifacts_sharing_mentions(
        self, scope: Scope, seeds: Sequence[ArtifactNumber], limit: int
    ) -> Proposal:
        """Return what GraphReader specifies, in one statement."""
        async with self._database.reading(scope.tenant) as connection:
            return await artifacts_sharing_mentions(connection, scope, seeds, limit)

    async def neighbours(
        self, tenant: TenantNumber, entities: Sequence[UUID], depth: int, most: int, moment: AsOf
    ) -> Mapping[UUID, list[Neighbour]]:
        """Return what GraphReader specifies, in one statement per step for all entities."""
        return await neighbours_of(entities, depth, most, self._step(tenant, moment, REFERENCES_PER_ENTITY))

    async def path(
        self, tenant: TenantNumber, source: UUID, target: UUID, longest: int, moment: AsOf
    ) -> tuple[Reference, ...] | None:
        """Return what GraphReader specifies, in one statement per step."""
        return await shortest_path(source, target, longest, self._step(tenant, moment, None))

    def _step(self, tenant: TenantNumber, moment: AsOf, most: int | None) -> Step:
        wanted = ReferencesAround(Direction.BOTH, None, moment)

        async def step(entities: Collection[UUID]) -> Around:
            async with self._database.reading(tenant) as connection:
                return await entity_edges.newest_references_of_entities(
                    connection, tenant, list(entities), wanted, most
                )

        return step
