"""What there is in the ledger and in the graph, thing by thing, so that one compares with the other."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import orjson

from app.domain.projection import Edge, Node
from app.projector.filling import CHANGES_AT_ONCE
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.projection import every_edge, every_node
from app.stores.postgres.ledger_graph import every_row, read_piece


@dataclass(frozen=True, slots=True)
class Thing:
    """One node or edge: its label or type, what tells it from the others, and a hash of all it says."""

    kind: str
    name: str
    hash: bytes


async def things_of_ledger(owner: asyncpg.Connection) -> AsyncIterator[Thing]:
    """Answer what the graph is to hold, as the connection sees the ledger; it is in a transaction."""
    async for rows in every_row(owner, CHANGES_AT_ONCE):
        piece = await read_piece(owner, rows)
        for node in piece.nodes:
            yield _node(node)
            if node.tie is not None:
                yield _edge(node.tie)
        for edge in piece.edges:
            yield _edge(edge)


async def things_of_graph(graph: Graph) -> AsyncIterator[Thing]:
    """Answer what the graph holds."""
    async for node in every_node(graph):
        yield _node(node)
    async for edge in every_edge(graph):
        yield _edge(edge)


def _node(node: Node) -> Thing:
    said = node.properties
    name = str(said["key"]) if "key" in said else f"{said.get('tenant')}/{said.get('id')}"
    return Thing(node.label, name, _hash(node.label, said))


def _edge(edge: Edge) -> Thing:
    said = edge.properties
    told = f" {said['id']}" if "id" in said else f" {said['type']}" if "type" in said else ""
    name = f"{said.get('tenant')}/{edge.source} -> {edge.target}{told}"
    return Thing(edge.type, name, _hash(edge.type, edge.source, edge.target, said))


def _hash(*said: object) -> bytes:
    # What else a graph may hold, such as a date that somebody set, is said in its own words.
    return hashlib.sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS, default=repr)).digest()
