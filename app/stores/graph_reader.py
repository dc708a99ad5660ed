"""The interface for reading the graph, whichever store holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol
from uuid import UUID

from app.domain.breadth_first_search import Neighbour
from app.domain.entity import Reference, ReferenceType
from app.domain.numbers import ArtifactNumber, TenantNumber
from app.domain.recall import Proposal
from app.domain.temporal import AsOf
from app.stores.postgres.scope import Scope

REFERENCES_PER_ENTITY = 100
"""How many references of an entity a walk follows: a hub shows its newest; all of it would cost more."""
REFERENCES_PER_ANCHOR = 100
"""How many references of an anchor count each way, the strongest."""
MENTIONED_ENTITIES = 30
ARTIFACTS_PER_ENTITY = 100


class GraphReader(Protocol):
    """Reads along references and mentions; every store returns the same results in the same order.

    Each method raises Unavailable when the store does not answer.
    """

    async def artifacts_beside(
        self, scope: Scope, anchors: Sequence[UUID], strengths: Mapping[ReferenceType, float], limit: int
    ) -> Proposal:
        """Return the artifacts one reference from the anchors, in either direction, by strength and count."""

    async def artifacts_sharing_mentions(
        self, scope: Scope, seeds: Sequence[ArtifactNumber], limit: int
    ) -> Proposal:
        """Return the artifacts that mention, or are, what the seeds mention; rare entities count more."""

    async def neighbours(
        self, tenant: TenantNumber, entities: Sequence[UUID], depth: int, most: int, moment: AsOf
    ) -> Mapping[UUID, list[Neighbour]]:
        """Return the nearest neighbours of each entity along references that hold at a moment."""

    async def path(
        self, tenant: TenantNumber, source: UUID, target: UUID, longest: int, moment: AsOf
    ) -> tuple[Reference, ...] | None:
        """Return the shortest path along references that hold at a moment; None if there is none.

        Of several equally short paths, it is the one whose steps, starting at the source, are the newest.
        """
