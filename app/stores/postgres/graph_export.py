"""Read rows of the ledger, of every tenant, as nodes and edges of the graph; for the ledger's owner."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg

from app.domain.numbers import TenantNumber
from app.domain.projection import Piece, ProjectedChange, ProjectedEdge, ProjectedNode, Value
from app.domain.temporal import to_microseconds
from app.stores.named_blocks import sql_blocks

SQL = sql_blocks(__file__)

Tenants: TypeAlias = Sequence[TenantNumber]
Rows: TypeAlias = Sequence[UUID]
Reader: TypeAlias = Callable[[asyncpg.Connection, Tenants, Rows], Awaitable[Piece]]


async def read_piece(owner: asyncpg.Connection, changes: Sequence[ProjectedChange]) -> Piece:
    """Return the current rows of these changes; a row that changed several times is read once."""
    by_kind: dict[str, dict[tuple[TenantNumber, UUID], None]] = defaultdict(dict)
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
    """Yield every row that belongs in the graph, in pieces; the connection must be in a transaction."""
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
        tuple(
            _node_with_tie("Entity", "INSTANCE_OF", each, target=_pop_text(each, "type")) for each in found
        ),
        (),
    )


async def _states(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = await owner.fetch(SQL["states"], tenants, rows)
    return _owned_nodes("EntityState", "HAS_STATE", found)


async def _artifacts(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = await owner.fetch(SQL["artifacts"], tenants, rows)
    return _owned_nodes("Artifact", "HAS_VERSION", found)


async def _absences(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = await owner.fetch(SQL["absences"], tenants, rows)
    return _owned_nodes("Absence", "HAS_ABSENCE", found)


async def _events(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = await owner.fetch(SQL["events"], tenants, rows)
    return Piece((), tuple(_edge("SUPERSEDED_BY", row) for row in found))


async def _aliases(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = await owner.fetch(SQL["aliases"], tenants, rows)
    return Piece((), tuple(_edge("ALIAS_OF", row) for row in found))


async def _references(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = [_properties(row) for row in await owner.fetch(SQL["references"], tenants, rows)]
    return Piece((), tuple(ProjectedEdge(_pop_text(each, "type"), *_ends(each), each) for each in found))


async def _mentions(owner: asyncpg.Connection, tenants: Tenants, rows: Rows) -> Piece:
    found = await owner.fetch(SQL["mentions"], tenants, rows)
    return Piece((), tuple(_edge("MENTIONS", row) for row in found))


_READERS: dict[str, Reader] = {
    "type": _types,
    "entity": _entities,
    "entity_state": _states,
    "artifact": _artifacts,
    "absence": _absences,
    "state_event": _events,
    "alias": _aliases,
    "reference": _references,
    "mentions": _mentions,
}


def _owned_nodes(label: str, type: str, rows: Sequence[asyncpg.Record]) -> Piece:
    """Return nodes that belong to an entity."""
    found = [_properties(row) for row in rows]
    return Piece(tuple(_node_with_tie(label, type, each, source=str(each["entity"])) for each in found), ())


def _node_with_tie(
    label: str, type: str, said: dict[str, Value], *, source: str | None = None, target: str | None = None
) -> ProjectedNode:
    """Return a node with its tie: it is one end of the tie, and it has the tie's tenant."""
    own = str(said["id"])
    return ProjectedNode(
        label, said, ProjectedEdge(type, source or own, target or own, {"tenant": said["tenant"]})
    )


def _edge(type: str, row: asyncpg.Record) -> ProjectedEdge:
    properties = _properties(row)
    return ProjectedEdge(type, *_ends(properties), properties)


def _ends(properties: dict[str, Value]) -> tuple[str, str]:
    return _pop_text(properties, "source"), _pop_text(properties, "target")


def _pop_text(properties: dict[str, Value], name: str) -> str:
    return str(properties.pop(name))


def _properties(row: asyncpg.Record) -> dict[str, Value]:
    """Return a row's values for the graph, without absent ones and with moments as numbers."""
    return {name: _value(value) for name, value in row.items() if value is not None}


def _value(value: Any) -> Value:
    if isinstance(value, datetime):
        return to_microseconds(value)
    if isinstance(value, UUID):
        return str(value)
    kept: Value = value
    return kept
