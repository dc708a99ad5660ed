"""The shortest way between two things is the same from one end as from both, and the newest of several."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from itertools import pairwise
from random import Random
from uuid import UUID

from app.domain.breadth_first_search import Around, far_end, shortest_path
from app.domain.entity import Reference, ReferenceType
from app.domain.temporal import Interval
from tests.documents import day


class Graph:
    """References between numbered things, and how many things were opened to find a way."""

    def __init__(self, edges: Sequence[tuple[int, int, int]]) -> None:
        self.references = [
            Reference(
                UUID(int=number),
                UUID(int=source),
                UUID(int=target),
                ReferenceType.RELATES_TO,
                None,
                Interval(day(2020) + timedelta(days=age)),
            )
            for number, (source, target, age) in enumerate(edges, start=1)
        ]
        self.opened = 0

    async def step(self, entities: Collection[UUID]) -> Around:
        self.opened += len(entities)
        return {
            entity: [each for each in self.references if entity in (each.source, each.target)]
            for entity in entities
        }

    async def path(self, source: int, target: int, longest: int) -> list[int] | None:
        found = await shortest_path(UUID(int=source), UUID(int=target), longest, self.step)
        return None if found is None else [each.id.int for each in found]

    def newest_way(self, source: int, target: int, longest: int) -> list[int] | None:
        """Return the same by trying every way."""
        start, end = UUID(int=source), UUID(int=target)
        ways: list[tuple[UUID, tuple[Reference, ...]]] = [(start, ())]
        for _ in range(longest + 1):
            if ends := [way for reached, way in ways if reached == end]:
                best = max(ends, key=lambda way: [(each.valid.start, each.id) for each in way])
                return [each.id.int for each in best]
            ways = [
                (far_end(each, reached), (*way, each))
                for reached, way in ways
                for each in self.references
                if reached in (each.source, each.target)
            ]
        return None


async def test_any_two_things_of_random_graphs_are_joined_by_the_newest_of_the_shortest_ways() -> None:
    random = Random(5)
    lengths = set()
    for _ in range(60):
        things = random.randint(2, 9)
        edges = [
            (source, target, random.randrange(4))
            for source, target in (random.sample(range(things), 2) for _ in range(random.randrange(11)))
        ]
        graph = Graph(edges)
        source, target, longest = random.randrange(things), random.randrange(things), random.randint(1, 4)
        found = await graph.path(source, target, longest)
        assert found == graph.newest_way(source, target, longest), edges
        lengths.add(None if found is None else len(found))
    assert lengths >= {None, 0, 1, 2, 3}


async def test_a_hub_in_the_middle_is_not_opened() -> None:
    spokes = [(0, spoke, 0) for spoke in range(1, 500)]
    graph = Graph(spokes)
    assert await graph.path(7, 400, 2) == [7, 400]
    assert graph.opened == 2


async def test_a_way_is_no_longer_than_asked() -> None:
    graph = Graph([(*pair, 0) for pair in pairwise(range(6))])
    assert await graph.path(0, 5, 5) == [1, 2, 3, 4, 5]
    assert await graph.path(0, 5, 4) is None
