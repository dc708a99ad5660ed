"""Who is near an entity along references: breadth first, one statement a step for all that ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.entity import Direction, Reference
from app.domain.page import PageRequest
from app.loaders.questions import NeighbourQuestion
from app.stores.postgres import surroundings
from app.stores.postgres.surroundings import ReferencesAround

REFERENCES_PER_ENTITY = 100  # a hub shows its newest; walking all of it would cost more than it tells


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity near another, and the references that lead to it, one a step."""

    entity: UUID
    path: tuple[Reference, ...]


async def neighbours_of(
    connection: asyncpg.Connection,
    tenant: int,
    entities: list[UUID],
    question: NeighbourQuestion,
    as_of: datetime,
) -> Mapping[UUID, list[Neighbour]]:
    """Answer the nearest neighbours of each entity, by distance; `as_of` is the asked instant."""
    wanted = ReferencesAround(Direction.BOTH, None, as_of)
    walks = [_Walk(entity, question.first) for entity in entities]
    for _ in range(question.depth):
        frontier = {entity for walk in walks for entity in walk.frontier}
        if not frontier:
            break
        pages = await surroundings.references_of_entities(
            connection, tenant, list(frontier), wanted, PageRequest(REFERENCES_PER_ENTITY)
        )
        for walk in walks:
            walk.step({entity: page.items for entity, page in pages.items()})
    return {walk.start: walk.found for walk in walks}


class _Walk:
    def __init__(self, start: UUID, most: int) -> None:
        self.start = start
        self.most = most
        self.found: list[Neighbour] = []
        self.frontier: dict[UUID, tuple[Reference, ...]] = {start: ()} if most else {}
        self.seen = {start}

    def step(self, around: Mapping[UUID, Iterable[Reference]]) -> None:
        """Go one reference further from every entity reached last."""
        reached: dict[UUID, tuple[Reference, ...]] = {}
        for entity, path in self.frontier.items():
            for reference in around[entity]:
                other = reference.target if reference.source == entity else reference.source
                if other not in self.seen and len(self.found) < self.most:
                    self.seen.add(other)
                    reached[other] = (*path, reference)
                    self.found.append(Neighbour(other, reached[other]))
        self.frontier = reached if len(self.found) < self.most else {}
