"""By which references one entity leads to another: breadth first, from both ends. Pure."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from app.domain.entity import Reference
from app.domain.neighbourhood import Around, Step, far_end

Onward: TypeAlias = dict[UUID, list[Reference]]


async def shortest_path(source: UUID, target: UUID, longest: int, step: Step) -> tuple[Reference, ...] | None:
    """Answer the fewest references that lead from one entity to another, either way; None within `longest`.

    Of several ways as short, each step takes the newest reference that is on one of them. The end around
    which less was reached goes on, so that a hub in the middle need not be opened.
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
    """What was reached from one end: the last of it, and the references that led on, distance by distance."""

    def __init__(self, start: UUID) -> None:
        self.frontier = {start}
        self._seen = {start}
        self._steps: list[Onward] = []

    def advance(self, around: Around) -> None:
        """Go one reference further."""
        step = {
            entity: [each for each in around[entity] if far_end(each, entity) not in self._seen]
            for entity in self.frontier
        }
        self.frontier = {far_end(each, entity) for entity, found in step.items() for each in found}
        self._seen |= self.frontier
        self._steps.append(step)

    def ways_to(self, meeting: set[UUID]) -> Onward:
        """Answer, for all that lies between the end and a meeting, the references that lead on to it."""
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
        """Answer, for all that lies between a meeting and the end, the references that lead on to it."""
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
