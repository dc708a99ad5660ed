"""Breadth-first search along references for neighbours and shortest paths. Pure.

The caller passes a `Step`, which returns the references around some entities. It is called once per
distance, with all entities reached there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from app.domain.entity import Reference

Around: TypeAlias = Mapping[UUID, Sequence[Reference]]
"""The references that leave or reach each entity, the newest first."""
Step: TypeAlias = Callable[[Collection[UUID]], Awaitable[Around]]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity near another, and the path of references that leads to it."""

    entity: UUID
    path: tuple[Reference, ...]


def far_end(reference: Reference, entity: UUID) -> UUID:
    """Return the other end of a reference."""
    return reference.target if reference.source == entity else reference.source


async def neighbours_of(
    entities: Collection[UUID], depth: int, most: int, step: Step
) -> dict[UUID, list[Neighbour]]:
    """Return the nearest `most` entities at most `depth` references away from each entity, by distance."""
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
        """Extend the search by one reference from every entity reached last."""
        reached: dict[UUID, tuple[Reference, ...]] = {}
        for entity, path in self.frontier.items():
            for reference in around[entity]:
                other = far_end(reference, entity)
                if other not in self.seen and len(self.found) < self.most:
                    self.seen.add(other)
                    reached[other] = (*path, reference)
                    self.found.append(Neighbour(other, reached[other]))
        self.frontier = reached if len(self.found) < self.most else {}


Onward: TypeAlias = dict[UUID, list[Reference]]


async def shortest_path(source: UUID, target: UUID, longest: int, step: Step) -> tuple[Reference, ...] | None:
    """Return the shortest path between two entities, in either direction; None if longer than `longest`.

    Of several equally short paths, each step takes the newest reference on one of them. The search extends
    the side that reached fewer entities, so that it need not expand a hub in the middle.
    """
    if source == target:
        return ()
    near, far = _Side(source), _Side(target)
    for _ in range(longest):
        narrower = min(near, far, key=lambda side: len(side.frontier))
        if not narrower.frontier:
            return None
        narrower.advance(await step(narrower.frontier))
        if meeting := near.frontier & far.frontier:
            return _newest_way(source, target, near.ways_to(meeting) | far.ways_from(meeting))
    return None


class _Side:
    """One side of the search: the entities reached last, and the references followed, by distance."""

    def __init__(self, start: UUID) -> None:
        self.frontier = {start}
        self._seen = {start}
        self._steps: list[Onward] = []

    def advance(self, around: Around) -> None:
        """Extend this side by one reference."""
        step = {
            entity: [each for each in around[entity] if far_end(each, entity) not in self._seen]
            for entity in self.frontier
        }
        self.frontier = {far_end(each, entity) for entity, found in step.items() for each in found}
        self._seen |= self.frontier
        self._steps.append(step)

    def ways_to(self, meeting: set[UUID]) -> Onward:
        """Return, for the entities between this end and a meeting point, the references towards the point."""
        ways: Onward = {}
        wanted = meeting
        for step in reversed(self._steps):
            onward = {
                entity: [each for each in found if far_end(each, entity) in wanted]
                for entity, found in step.items()
            }
            ways |= {entity: found for entity, found in onward.items() if found}
            wanted = {entity for entity, found in onward.items() if found}
        return ways

    def ways_from(self, meeting: set[UUID]) -> Onward:
        """Return, for the entities between a meeting point and this end, the references towards the end."""
        ways: Onward = defaultdict(list)
        for entity, found in self.ways_to(meeting).items():
            for each in found:
                ways[far_end(each, entity)].append(each)
        return ways


def _newest_way(source: UUID, target: UUID, onward: Onward) -> tuple[Reference, ...]:
    path: list[Reference] = []
    reached = source
    while reached != target:
        path.append(max(onward[reached], key=_newest))
        reached = far_end(path[-1], reached)
    return tuple(path)


def _newest(reference: Reference) -> tuple[datetime, UUID]:
    return reference.valid.start, reference.id
