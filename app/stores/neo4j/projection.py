"""Write the copy of the ledger in Neo4j, and read and move its checkpoint."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from uuid import uuid4

from neo4j import AsyncTransaction, Record

from app.domain.entity import ReferenceType
from app.domain.projection import Checkpoint, Failure, Piece, ProjectedEdge, ProjectedNode
from app.domain.temporal import to_microseconds
from app.errors import Conflict, Unavailable
from app.resources import shipped_folder
from app.stores.named_blocks import cypher_blocks
from app.stores.neo4j.driver import Graph

CYPHER = cypher_blocks(__file__)
ROWS_AT_ONCE = 500

Row: TypeAlias = dict[str, Any]
Thing = TypeVar("Thing")

_NODES = {
    "Type": CYPHER["write_types"],
    "Entity": CYPHER["write_entities"],
    "EntityState": CYPHER["write_states"],
    "Artifact": CYPHER["write_artifacts"],
    "Absence": CYPHER["write_absences"],
}
_EDGES = {
    "CAN_REFERENCE": CYPHER["join_type_rules"],
    "SUPERSEDED_BY": CYPHER["join_successive_states"],
    "ALIAS_OF": CYPHER["join_aliases"],
    "MENTIONS": CYPHER["join_mentions"],
} | {type.value: CYPHER["join_references"].replace("REFERENCES", type.value) for type in ReferenceType}


class ConcurrentProjector(Conflict):
    """Another projector changed the graph meanwhile."""


async def checkpoint_of(graph: Graph) -> Checkpoint | None:
    """Return the graph's checkpoint; None if it never was a copy of a ledger."""
    found = await _projection(graph)
    if found is None:
        return None
    return Checkpoint(
        found["ledger"],
        found["generation"],
        found["position"],
        found.get("mark"),
        found.get("isCleared", True),
    )


async def failure_of(graph: Graph) -> Failure | None:
    """Return the recorded reason why projection fails; None if there is none."""
    found = await _projection(graph)
    if found is None or "lastError" not in found:
        return None
    return Failure(found["lastError"], found["failedAt"])


async def _projection(graph: Graph) -> dict[str, Any] | None:
    records = await graph.read(CYPHER["checkpoint"])
    return records[0]["projection"] if records else None


async def begin(graph: Graph, ledger: str) -> Checkpoint:
    """Mark an empty graph as a copy of a ledger, at position 0."""
    started = Checkpoint(ledger, str(uuid4()), 0, None)
    await graph.write(CYPHER["begin"], ledger=ledger, generation=started.generation, now=_now())
    return started


async def begin_anew(graph: Graph, ledger: str) -> Checkpoint:
    """Mark a graph that is a copy of any ledger as a copy of this one, at position 0 and not yet cleared."""
    started = Checkpoint(ledger, str(uuid4()), 0, None, is_cleared=False)
    await graph.write(CYPHER["begin_anew"], ledger=ledger, generation=started.generation, now=_now())
    return started


async def clear(graph: Graph, checkpoint: Checkpoint) -> Checkpoint:
    """Delete everything but the checkpoint, and record that the graph is cleared."""
    await graph.alter(CYPHER["clear"])
    await graph.write(CYPHER["note_cleared"], generation=checkpoint.generation)
    return replace(checkpoint, is_cleared=True)


async def is_used(graph: Graph) -> bool:
    """Return whether the graph holds any node of the labels that a copy uses."""
    (record,) = await graph.read(CYPHER["is_used"])
    return bool(record["used"])


async def write(graph: Graph, before: Checkpoint, after: Checkpoint, piece: Piece) -> None:
    """Write nodes and edges and move from one checkpoint to the next, atomically.

    Raises Conflict when an edge refers to a missing node, ConcurrentProjector when the graph is no longer at
    the first checkpoint, and Unavailable as Graph does.
    """
    async with graph.writing() as transaction:
        await _move(transaction, before, after)
        for label, nodes in _group_rows(piece.nodes, lambda node: node.label).items():
            await _write_rows(transaction, label, _NODES[label], [_node_row(node) for node in nodes])
        for type, edges in _group_rows(piece.edges, lambda edge: edge.type).items():
            await _write_rows(transaction, type, _EDGES[type], [_edge_row(edge) for edge in edges])


async def _move(transaction: AsyncTransaction, before: Checkpoint, after: Checkpoint) -> None:
    result = await transaction.run(
        CYPHER["move"],
        ledger=before.ledger,
        generation=before.generation,
        before=before.position,
        position=after.position,
        mark=after.mark,
        now=_now(),
    )
    if not [record async for record in result]:
        raise ConcurrentProjector("another projector changed the position of the graph; try again")


async def _write_rows(transaction: AsyncTransaction, kind: str, query: str, rows: Sequence[Row]) -> None:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = rows[start : start + ROWS_AT_ONCE]
        record = await (await transaction.run(query, rows=part)).single(strict=True)
        if record["written"] < len(part):
            raise Conflict(
                f"{len(part) - record['written']} rows of {kind} refer to nodes that the"
                " graph lacks: it is not a copy of the ledger; run `trigraph projection"
                " rebuild`"
            )


def _node_row(node: ProjectedNode) -> Row:
    return {"node": node.properties} if node.tie is None else {"node": node.properties, **_edge_row(node.tie)}


def _edge_row(edge: ProjectedEdge) -> Row:
    return {"source": edge.source, "target": edge.target, "edge": edge.properties}


def _group_rows(things: Iterable[Thing], kind: Callable[[Thing], str]) -> dict[str, list[Thing]]:
    groups: dict[str, list[Thing]] = defaultdict(list)
    for thing in things:
        groups[kind(thing)].append(thing)
    return groups


async def note_failure(graph: Graph, ledger: str, reason: str | None) -> None:
    """Record in the graph why projection fails, or None when it works; only in a copy of this ledger.

    If the graph cannot be written, its readers see that themselves.
    """
    now = None if reason is None else _now()
    with suppress(Unavailable):
        await graph.write(CYPHER["note_failure"], ledger=ledger, error=reason, now=now)


async def every_node(graph: Graph) -> AsyncIterator[ProjectedNode]:
    """Yield every node of the labels that a copy uses, in no order."""
    async for record in _every(graph, CYPHER["every_node"]):
        yield ProjectedNode(":".join(sorted(record["labels"])), record["properties"])


async def every_edge(graph: Graph) -> AsyncIterator[ProjectedEdge]:
    """Yield every edge that begins at one of those nodes, in no order."""
    async for record in _every(graph, CYPHER["every_edge"]):
        yield ProjectedEdge(record["type"], record["source"], record["target"], record["properties"])


async def _every(graph: Graph, query: str) -> AsyncIterator[Record]:
    async with graph.reading() as transaction:
        async for record in await transaction.run(query):
            yield record


def _now() -> int:
    return to_microseconds(datetime.now(UTC))


def statements(folder: Path | None = None) -> list[str]:
    """Return every statement of the folder's files in order; by default the installation's folder."""
    folder = folder or shipped_folder("migrations", "migrations") / "neo4j"
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.cypher")))
    return [part.strip() for text in texts for part in text.split(";") if part.strip()]


async def migrate(graph: Graph) -> None:
    """Create every missing constraint and index; raise Unavailable when Neo4j refuses."""
    for statement in statements():
        await graph.alter(statement)
