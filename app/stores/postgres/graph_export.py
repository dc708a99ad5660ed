"""Rows of the ledger as nodes and edges, many at once and of every tenant: for the ledger's owner."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg

from app.domain.projection import Piece, ProjectedChange, ProjectedEdge, ProjectedNode, Value
from app.domain.temporal import to_microseconds
from app.stores.named_blocks import sql_blocks

SQL = sql_blocks(__file__)

Tenants: TypeAlias = Sequence[int]
Rows: TypeAlias = Sequence[UUID]
Reader: TypeAlias = Callable[[asyncpg.Connection, Tenants, Rows], Awaitable[Piece]]


async def read_piece(owner: asyncpg.Connection, changes: Sequence[ProjectedChange]) -> Piece:
    """Return what the rows of these changes are now, however often each changed; a row is read once."""
    by_kind: dict[str, dict[tuple[int, UUID], None]] = defaultdict(dict)
    for change in changes:
        by_kind[change.kind][change.tenant, change.row] = None
    nodes: list[ProjectedNode] = []
    edges: list[ProjectedEdge] = []
    for kind, reader in _READERS.items():
        if asked := by_kind.pop(kind, None):
            piece = await reader(owner, [tenant for tenant, _ in asked], [row for _, row in asked])
            nodes += piece.nodes
            edges += piece.edges
    if by_kind:
        raise NotImplementedError(f"nothing projects {', '.join(by_kind)}")
    return Piece(tuple(nodes), tuple(edges))


async def every_row(owner: asyncpg.Connection, at_once: int) -> AsyncIterator[list[ProjectedChange]]:
    """Yield, piece by piece, every row that the graph consists of; takes a connection in a transaction."""
    cursor = await owner.cursor(SQL["every_row"])
    while rows := await cursor.fetch(at_once):
        yield [ProjectedChange(*row.values()) for row in rows]


async def _types(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    numbers = [row.int for row in rows]  # a type has a number where others have an id
    types = await owner.fetch(SQL["types"], tenants, numbers)
    rules = await owner.fetch(SQL["rules"], tenants, numbers)
    return Piece(
        tuple(ProjectedNode("Type", _properties(row)) for row in types),
        tuple(_edge("CAN_REFERENCE", row) for row in rules),
    )


async def _entities(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = [_properties(row) for row in await owner.fetch(SQL["entities"], tenants, rows)]
    return Piece(
        tuple(_tied("Entity", "INSTANCE_OF", each, target=_taken(each, "type")) for each in found), ()
    )


async def _states(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = await owner.fetch(SQL["states"], tenants, rows)
    return _held("EntityState", "HAS_STATE", found)


async def _artifacts(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = await owner.fetch(SQL["artifacts"], tenants, rows)
    return _held("Artifact", "HAS_VERSION", found)


async def _events(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = await owner.fetch(SQL["events"], tenants, rows)
    return Piece((), tuple(_edge("SUPERSEDED_BY", row) for row in found))


async def _aliases(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = await owner.fetch(SQL["aliases"], tenants, rows)
    return Piece((), tuple(_edge("ALIAS_OF", row) for row in found))


async def _references(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = [_properties(row) for row in await owner.fetch(SQL["references"], tenants, rows)]
    return Piece((), tuple(ProjectedEdge(_taken(each, "type"), *_ends(each), each) for each in found))


async def _mentions(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = await owner.fetch(SQL["mentions"], tenants, rows)
    return Piece((), tuple(_edge("MENTIONS", row) for row in found))


_READERS: dict[str, Reader] = {
    "type": _types,
    "entity": _entities,
    "entity_state": _states,
    "artifact": _artifacts,
    "state_event": _events,
    "alias": _aliases,
    "reference": _references,
    "mentions": _mentions,
}


def _held(label: str, type: str, rows: Sequence[asyncpg.Record]) -> Piece:
    """Return nodes that an entity holds."""
    found = [_properties(row) for row in rows]
    return Piece(tuple(_tied(label, type, each, source=str(each["entity"])) for each in found), ())


def _tied(
    label: str, type: str, said: dict[str, Value], *, source: str | None = None, target: str | None = None
) -> ProjectedNode:
    """Return a node that is one end of its tie, and that says the tenant of it."""
    own = str(said["id"])
    return ProjectedNode(
        label, said, ProjectedEdge(type, source or own, target or own, {"tenant": said["tenant"]})
    )


def _edge(type: str, row: asyncpg.Record) -> ProjectedEdge:
    properties = _properties(row)
    return ProjectedEdge(type, *_ends(properties), properties)


def _ends(properties: dict[str, Value]) -> tuple[str, str]:
    return _taken(properties, "source"), _taken(properties, "target")


def _taken(properties: dict[str, Value], name: str) -> str:
    return str(properties.pop(name))


def _properties(row: asyncpg.Record) -> dict[str, Value]:
    """Return what a row says in values of the graph, which knows no absent ones, and moments as numbers."""
    return {name: _value(value) for name, value in row.items() if value is not None}


def _value(value: Any) -> Value:
    if isinstance(value, datetime):
        return to_microseconds(value)
    if isinstance(value, UUID):
        return str(value)
    kept: Value = value
    return kept
