"""The graph as it is read from the ledger itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from app.domain.entity import Direction, Reference, ReferenceType
from app.domain.neighbourhood import Around, Neighbour, Step, neighbours_of
from app.domain.path import shortest_path
from app.domain.recall import Proposal
from app.stores.graph_reader import REFERENCES_PER_ENTITY
from app.stores.postgres import graph, surroundings
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope
from app.stores.postgres.surroundings import ReferencesAround


class PostgresTraversal:
    """A GraphReader of the ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def artifacts_beside(
        self, scope: Scope, anchors: Sequence[UUID], strengths: Mapping[ReferenceType, float], limit: int
    ) -> Proposal:
        """Answer as GraphReader says, in one statement."""
        async with self._database.reading(scope.tenant) as connection:
            return await graph.artifacts_beside(connection, scope, anchors, strengths, limit)

    async def artifacts_sharing_mentions(self, scope: Scope, seeds: Sequence[int], limit: int) -> Proposal:
        """Answer as GraphReader says, in one statement."""
        async with self._database.reading(scope.tenant) as connection:
            return await graph.artifacts_sharing_mentions(connection, scope, seeds, limit)

    async def neighbours(
        self, tenant: int, entities: Sequence[UUID], depth: int, most: int, as_of: datetime
    ) -> Mapping[UUID, list[Neighbour]]:
        """Answer as GraphReader says, in one statement a step for all that ask."""
        return await neighbours_of(entities, depth, most, self._step(tenant, as_of, REFERENCES_PER_ENTITY))

    async def path(
        self, tenant: int, source: UUID, target: UUID, longest: int, as_of: datetime
    ) -> tuple[Reference, ...] | None:
        """Answer as GraphReader says, in one statement a step."""
        return await shortest_path(source, target, longest, self._step(tenant, as_of, None))

    def _step(self, tenant: int, as_of: datetime, most: int | None) -> Step:
        wanted = ReferencesAround(Direction.BOTH, None, as_of)

        async def step(entities: Collection[UUID]) -> Around:
            async with self._database.reading(tenant) as connection:
                return await surroundings.newest_references_of_entities(
                    connection, tenant, list(entities), wanted, most
                )

        return step
