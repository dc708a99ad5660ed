"""The ledger as a graph: nodes and edges, and how far a copy of it has come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

Value: TypeAlias = str | int | bool | list[str]


@dataclass(frozen=True, slots=True)
class ProjectedChange:
    """A row of the ledger that is new or differs; `kind` is what the outbox calls rows of its table."""

    kind: str
    tenant: int
    row: UUID


@dataclass(frozen=True, slots=True)
class ProjectedEdge:
    """A relationship between two nodes of one tenant, which are told by their ids, or types by their keys."""

    type: str
    source: str
    target: str
    properties: dict[str, Value]


@dataclass(frozen=True, slots=True)
class ProjectedNode:
    """A node of the graph: its label, all it says, and the edge that ties it to what it is of, if any."""

    label: str
    properties: dict[str, Value]
    tie: ProjectedEdge | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """Nodes with their ties, and other edges between them or to others."""

    nodes: tuple[ProjectedNode, ...]
    edges: tuple[ProjectedEdge, ...]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Up to which position of which ledger a graph is a copy.

    `mark` tells the change at that position from any other that may come to stand there when a ledger is
    restored from a backup. `generation` is another one each time the graph is filled anew, and until then
    `is_cleared` is false while something of the one before may be left.
    """

    ledger: str
    generation: str
    position: int
    mark: str | None
    is_cleared: bool = True


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a graph did not move on, and since when, in microseconds since the start of 1970."""

    reason: str
    at: int
