"""Who is near an entity along references: breadth first. Pure.

How the references around some entities are found is the caller's: it hands in a `Step`, which is asked once
for each distance, for all that was reached there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from app.domain.entity import Reference

Around: TypeAlias = Mapping[UUID, Sequence[Reference]]
"""The references that leave or reach each entity, the newest first."""
Step: TypeAlias = Callable[[Collection[UUID]], Awaitable[Around]]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity near another, and the references that lead to it, one a step."""

    entity: UUID
    path: tuple[Reference, ...]


def far_end(reference: Reference, entity: UUID) -> UUID:
    """Answer the other end of a reference."""
    return reference.target if reference.source == entity else reference.source


async def neighbours_of(
    entities: Collection[UUID], depth: int, most: int, step: Step
) -> dict[UUID, list[Neighbour]]:
    """Answer the nearest `most` of what is at most `depth` references away from each entity, by distance."""
    walks = [_Walk(entity, most) for entity in entities]
    for _ in range(depth):
        frontier = {entity for walk in walks for entity in walk.frontier}
        if not frontier:
            break
        around = await step(frontier)
        for walk in walks:
            walk.step(around)
    return {walk.start: walk.found for walk in walks}


class _Walk:
    def __init__(self, start: UUID, most: int) -> None:
        self.start = start
        self.most = most
        self.found: list[Neighbour] = []
        self.frontier: dict[UUID, tuple[Reference, ...]] = {start: ()} if most else {}
        self.seen = {start}

    def step(self, around: Around) -> None:
        """Go one reference further from every entity reached last."""
        reached: dict[UUID, tuple[Reference, ...]] = {}
        for entity, path in self.frontier.items():
            for reference in around[entity]:
                other = far_end(reference, entity)
                if other not in self.seen and len(self.found) < self.most:
                    self.seen.add(other)
                    reached[other] = (*path, reference)
                    self.found.append(Neighbour(other, reached[other]))
        self.frontier = reached if len(self.found) < self.most else {}
