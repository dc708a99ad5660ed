"""The ledger as a graph: nodes, edges, and the checkpoint of a copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from app.domain.numbers import TenantNumber

Value: TypeAlias = str | int | bool | list[str]


@dataclass(frozen=True, slots=True)
class ProjectedChange:
    """A new or changed row of the ledger; `kind` is the outbox's name for rows of its table."""

    kind: str
    tenant: TenantNumber
    row: UUID


@dataclass(frozen=True, slots=True)
class ProjectedEdge:
    """A relationship between two nodes of one tenant, identified by their ids, or types by their keys."""

    type: str
    source: str
    target: str
    properties: dict[str, Value]


@dataclass(frozen=True, slots=True)
class ProjectedNode:
    """A node of the graph: its label, its properties, and the edge to its owner, if any."""

    label: str
    properties: dict[str, Value]
    tie: ProjectedEdge | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """Nodes with the edges to their owners, and other edges."""

    nodes: tuple[ProjectedNode, ...]
    edges: tuple[ProjectedEdge, ...]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The ledger that a graph is a copy of, and the position up to which it is one.

    `mark` distinguishes the change at that position from another one that may take its place when a ledger is
    restored from a backup. `generation` changes each time the graph is filled anew; `is_cleared` is false
    while parts of the previous generation may remain.
    """

    ledger: str
    generation: str
    position: int
    mark: str | None
    is_cleared: bool = True


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why projection fails, and since when, in microseconds since the start of 1970."""

    reason: str
    at: int
