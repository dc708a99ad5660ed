"""Verify that the graph equals the ledger, node for node and edge for edge."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Set
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import asyncpg
import orjson

from app.domain.projection import ProjectedEdge, ProjectedNode
from app.projector.sync import CHANGES_AT_ONCE, catch_up
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.projection import every_edge, every_node
from app.stores.postgres.graph_export import every_row, read_piece


@dataclass(frozen=True, slots=True)
class Thing:
    """One node or edge: its label or type, its distinguishing name, and a hash of its content."""

    kind: str
    name: str
    hash: bytes


async def things_of_ledger(owner: asyncpg.Connection) -> AsyncIterator[Thing]:
    """Yield what the graph should hold, by the ledger; the connection must be in a transaction."""
    async for rows in every_row(owner, CHANGES_AT_ONCE):
        piece = await read_piece(owner, rows)
        for node in piece.nodes:
            yield _node(node)
            if node.tie is not None:
                yield _edge(node.tie)
        for edge in piece.edges:
            yield _edge(edge)


async def things_of_graph(graph: Graph) -> AsyncIterator[Thing]:
    """Yield what the graph holds."""
    async for node in every_node(graph):
        yield _node(node)
    async for edge in every_edge(graph):
        yield _edge(edge)


def _node(node: ProjectedNode) -> Thing:
    said = node.properties
    name = str(said["key"]) if "key" in said else f"{said.get('tenant')}/{said.get('id')}"
    return Thing(node.label, name, _hash(node.label, said))


def _edge(edge: ProjectedEdge) -> Thing:
    said = edge.properties
    label = f" {said['id']}" if "id" in said else f" {said['type']}" if "type" in said else ""
    name = f"{said.get('tenant')}/{edge.source} -> {edge.target}{label}"
    return Thing(edge.type, name, _hash(edge.type, edge.source, edge.target, said))


def _hash(*said: object) -> bytes:
    # What else a graph may hold, such as a date that somebody set, is said in its own words.
    return hashlib.sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS, default=repr)).digest()


Named: TypeAlias = dict[str, Counter[tuple[str, bytes]]]

_LARGEST = 1 << 256


@dataclass(slots=True)
class Digest:
    """The number of things of one kind and an order-independent sum of their hashes."""

    count: int = 0
    sum: int = 0

    def add(self, thing: Thing) -> None:
        """Count one more thing; two that are alike count twice."""
        self.count += 1
        self.sum = (self.sum + int.from_bytes(thing.hash, "big")) % _LARGEST


@dataclass(frozen=True, slots=True)
class ComparedKind:
    """The digests of one label or relationship type on both sides, and the names of differing things."""

    name: str
    in_ledger: Digest
    in_graph: Digest
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    different: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Return whether both sides are equal."""
        return self.in_ledger == self.in_graph


@dataclass(frozen=True, slots=True)
class Verification:
    """A comparison of ledger and graph at one position."""

    position: int
    kinds: tuple[ComparedKind, ...] = field(repr=False)

    @property
    def is_equal(self) -> bool:
        """Return whether the graph is an exact copy."""
        return all(kind.is_equal for kind in self.kinds)

    @property
    def digest(self) -> str:
        """Return a hash that is equal for graphs with equal content."""
        text = "\n".join(f"{kind.name} {kind.in_graph.count} {kind.in_graph.sum}" for kind in self.kinds)
        return hashlib.sha256(text.encode()).hexdigest()


async def verify(owner: asyncpg.Connection, graph: Graph) -> Verification:
    """Catch up, then compare the graph with the ledger as of the same moment.

    The caller holds the projection lock and one snapshot, so that no write can come between. Single things
    are compared only if the digests differ. Raises as `catch_up` does.
    """
    checkpoint = await catch_up(owner, graph, lambda rows: None)
    here = await _digests(things_of_ledger(owner))
    there = await _digests(things_of_graph(graph))
    kinds = [
        ComparedKind(name, here.get(name, Digest()), there.get(name, Digest()))
        for name in sorted(here.keys() | there.keys())
    ]
    differing = {kind.name for kind in kinds if not kind.is_equal}
    if differing:
        expected = await _by_name(things_of_ledger(owner), differing)
        found = await _by_name(things_of_graph(graph), differing)
        kinds = [
            _with_differences(kind, expected, found) if kind.name in differing else kind for kind in kinds
        ]
    return Verification(checkpoint.position, tuple(kinds))


async def _digests(things: AsyncIterator[Thing]) -> dict[str, Digest]:
    digests: dict[str, Digest] = defaultdict(Digest)
    async for thing in things:
        digests[thing.kind].add(thing)
    return digests


async def _by_name(things: AsyncIterator[Thing], kinds: Set[str]) -> Named:
    named: Named = defaultdict(Counter)
    async for thing in things:
        if thing.kind in kinds:
            named[thing.kind][thing.name, thing.hash] += 1
    return named


def _with_differences(kind: ComparedKind, expected: Named, found: Named) -> ComparedKind:
    missing = Counter(name for name, _ in (expected[kind.name] - found[kind.name]).elements())
    unexpected = Counter(name for name, _ in (found[kind.name] - expected[kind.name]).elements())
    different = missing & unexpected
    return replace(
        kind,
        missing=tuple(sorted((missing - different).elements())),
        unexpected=tuple(sorted((unexpected - different).elements())),
        different=tuple(sorted(different)),
    )
