"""Whether the graph is what the ledger says, node for node and edge for edge."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Set
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import asyncpg

from app.projector.catching_up import catch_up
from app.projector.things import Thing, things_of_graph, things_of_ledger
from app.stores.neo4j.driver import Graph

Named: TypeAlias = dict[str, Counter[tuple[str, bytes]]]

_LARGEST = 1 << 256


@dataclass(slots=True)
class Digest:
    """How many things of one kind there are, and what they are, in whichever order they are met."""

    count: int = 0
    sum: int = 0

    def add(self, thing: Thing) -> None:
        """Count one more thing; two that are alike count twice."""
        self.count += 1
        self.sum = (self.sum + int.from_bytes(thing.hash, "big")) % _LARGEST


@dataclass(frozen=True, slots=True)
class Kind:
    """What both sides hold of one label or type of relationship, and the names of what differs."""

    name: str
    in_ledger: Digest
    in_graph: Digest
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    different: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Tell whether both sides hold the same."""
        return self.in_ledger == self.in_graph


@dataclass(frozen=True, slots=True)
class Verification:
    """A comparison of ledger and graph at one position."""

    position: int
    kinds: tuple[Kind, ...] = field(repr=False)

    @property
    def is_equal(self) -> bool:
        """Tell whether the graph is an exact copy."""
        return all(kind.is_equal for kind in self.kinds)

    @property
    def digest(self) -> str:
        """Answer one text that two graphs share when they hold the same."""
        told = "\n".join(f"{kind.name} {kind.in_graph.count} {kind.in_graph.sum}" for kind in self.kinds)
        return hashlib.sha256(told.encode()).hexdigest()


async def verify(owner: asyncpg.Connection, graph: Graph) -> Verification:
    """Catch up, then compare the graph with the ledger as of the same moment.

    The caller projects alone and sees one moment, so that no write can come between. What differs is
    looked for only where the digests do. Raises as `catch_up` does.
    """
    checkpoint = await catch_up(owner, graph, lambda rows: None)
    here = await _digests(things_of_ledger(owner))
    there = await _digests(things_of_graph(graph))
    kinds = [
        Kind(name, here.get(name, Digest()), there.get(name, Digest()))
        for name in sorted(here.keys() | there.keys())
    ]
    differing = {kind.name for kind in kinds if not kind.is_equal}
    if differing:
        expected = await _named(things_of_ledger(owner), differing)
        found = await _named(things_of_graph(graph), differing)
        kinds = [_told_apart(kind, expected, found) if kind.name in differing else kind for kind in kinds]
    return Verification(checkpoint.position, tuple(kinds))


async def _digests(things: AsyncIterator[Thing]) -> dict[str, Digest]:
    digests: dict[str, Digest] = defaultdict(Digest)
    async for thing in things:
        digests[thing.kind].add(thing)
    return digests


async def _named(things: AsyncIterator[Thing], kinds: Set[str]) -> Named:
    named: Named = defaultdict(Counter)
    async for thing in things:
        if thing.kind in kinds:
            named[thing.kind][thing.name, thing.hash] += 1
    return named


def _told_apart(kind: Kind, expected: Named, found: Named) -> Kind:
    missing = Counter(name for name, _ in (expected[kind.name] - found[kind.name]).elements())
    unexpected = Counter(name for name, _ in (found[kind.name] - expected[kind.name]).elements())
    different = missing & unexpected
    return replace(
        kind,
        missing=tuple(sorted((missing - different).elements())),
        unexpected=tuple(sorted((unexpected - different).elements())),
        different=tuple(sorted(different)),
    )
