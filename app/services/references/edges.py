"""Write one reference, and collect the status changes that follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias
from uuid import UUID, uuid4

from app.domain.artifact import Artifact, ReferenceClaim
from app.domain.entity import AuthorityTier, Edge, Entity, Project, Reference, ReferenceType
from app.domain.temporal import Interval, still_missing
from app.domain.text import name_key
from app.domain.types import types_from_documents_to_things, types_from_things_to_documents
from app.services.references.supersession import SupersessionChange, effective_from
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import references
from app.stores.postgres.entities import KeyedEntity
from app.stores.postgres.mentions import Mention, NamedForm

CurrentEdges: TypeAlias = dict[Edge, list[Reference]]
"""The references believed now of each edge, valid at any time, in order of time."""


@dataclass(frozen=True, slots=True)
class Filed:
    """A document just filed, whose reference claims are being written."""

    project: Project
    entity: Entity
    artifact: Artifact
    key: str


@dataclass(frozen=True, slots=True)
class EdgeStatement:
    """An edge as a document or a caller states it; `cause` is the document on its source's side.

    `inverted` marks an edge that the document of its target states.
    """

    edge: Edge
    stated_by: UUID | None
    cause: UUID | None
    valid_from: datetime
    occurrences: int
    inverted: bool = False


@dataclass(slots=True)
class Joined:
    """The outcome of writing a document's claims; `changes` of status are still to be made.

    `restated` are existing supersessions that the superseded document now states itself.
    """

    references: list[Reference] = field(default_factory=list)
    restated: list[EdgeStatement] = field(default_factory=list)
    changes: list[SupersessionChange] = field(default_factory=list)
    edges: set[Edge] = field(default_factory=set)
    pairs: set[frozenset[UUID]] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)

    def add_edge(self, edge: Edge) -> None:
        """Note an edge that the document states."""
        self.edges.add(edge)
        self.pairs.add(frozenset(edge[:2]))

    def has_between(self, one: UUID, other: UUID) -> bool:
        """Return whether an edge joins these two, either way."""
        return frozenset((one, other)) in self.pairs


def claimed_edge(own: UUID, claim: ReferenceClaim, other: KeyedEntity) -> Edge:
    """Return the edge that a document's claim makes with another entity, REFERENCES if no rule allows it."""
    allowed = types_from_things_to_documents if claim.inverted else types_from_documents_to_things
    is_allowed = other.is_document or claim.type in allowed()
    reference_type = claim.type if is_allowed else ReferenceType.REFERENCES
    source, target = (other.id, own) if claim.inverted else (own, other.id)
    return source, target, reference_type, claim.in_part and is_allowed


async def current_edges(write: UnitOfWork, edges: Sequence[Edge]) -> CurrentEdges:
    """Return the references believed of these edges; one statement, or none if all edges are new."""
    asked = [edge for edge in edges if write.lookup_cache is None or not write.lookup_cache.is_unjoined(edge)]
    return await references.current_among(await write.flush(), write.tenant, asked) if asked else {}


async def write_edge(
    write: UnitOfWork, project: Project, statement: EdgeStatement, joined: Joined, current: CurrentEdges
) -> list[Reference]:
    """Write what is missing of a reference from its start on; nothing if it would close a circle.

    `current` holds the references believed of its edge; those written are added to it.

    A reference that was withdrawn and is stated again holds again from then on. A supersession changes its
    target's status once its source is in force.
    """
    source, target, reference_type, _ = statement.edge
    supersedes = reference_type is ReferenceType.SUPERSEDES
    start = statement.valid_from
    every = current.setdefault(statement.edge, [])
    held = [each for each in every if each.valid.end is None or each.valid.end > start]
    missing = still_missing((each.valid for each in held), start, write.recorded_at)
    if not missing:
        if supersedes and statement.inverted:
            joined.restated.append(statement)
        return []
    if supersedes and await _leads(write, target, source, missing[0].start):
        joined.warnings.append(
            "left out a supersession that would make a cycle: one document must stay current"
        )
        return []
    written = [await _write_piece(write, project, statement, valid, joined) for valid in missing]
    every.extend(written)
    return written


async def _leads(write: UnitOfWork, start: UUID, end: UUID, since: datetime) -> bool:
    """Return whether a chain of supersessions leads from one entity to another, at a moment or later."""
    if write.lookup_cache is not None and write.lookup_cache.is_unsuperseded(end):
        return False
    return await references.supersession_leads(await write.flush(), write.tenant, start, end, since)


async def _write_piece(
    write: UnitOfWork, project: Project, statement: EdgeStatement, valid: Interval, joined: Joined
) -> Reference:
    source, target, reference_type, in_part = statement.edge
    reference = Reference(uuid4(), source, target, reference_type, statement.stated_by, valid, in_part)
    if write.lookup_cache is not None:
        write.lookup_cache.note_edge(statement.edge)
    await references.insert_reference(
        write.rows,
        write.tenant,
        project.number,
        reference,
        statement.occurrences,
        write.recorded_at,
        write.actor,
    )
    if reference.type is ReferenceType.SUPERSEDES and write.caller.tier <= AuthorityTier.AGENT:
        effective = await effective_from(write, reference)
        if effective is not None:
            joined.changes.append(SupersessionChange(reference.target, effective, statement.cause))
    return reference


def mention_of(artifact: UUID, entity: UUID, form: str, occurrences: int) -> Mention:
    """Return that an artifact names an entity in this form."""
    return Mention(artifact, entity, NamedForm(entity, form, name_key(form)), occurrences)
