"""Writing one reference, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias
from uuid import UUID, uuid4

from app.domain.artifact import Artifact
from app.domain.entity import AuthorityTier, Entity, Project, Reference, ReferenceType
from app.domain.temporal import Interval, still_missing
from app.domain.text import name_key
from app.services.lookup_cache import Edge
from app.services.references.supersession import SupersessionChange, effective_from
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import references
from app.stores.postgres.mentions import Mention, NamedForm

Believed: TypeAlias = dict[Edge, list[Reference]]
"""What is believed of edges, at whatever time, each list in order of time."""


@dataclass(frozen=True, slots=True)
class Filed:
    """A document just filed, whose claims are joined."""

    project: Project
    entity: Entity
    artifact: Artifact
    key: str


@dataclass(frozen=True, slots=True)
class EdgeStatement:
    """An edge as a document or a caller states it; `cause` is the document on its source's side.

    `inverted` marks what the document of the edge's target says.
    """

    edge: Edge
    stated_by: UUID | None
    cause: UUID | None
    valid_from: datetime
    occurrences: int
    inverted: bool = False


@dataclass(slots=True)
class Joined:
    """What became of a document's claims; what its turns speak of still has to be settled.

    `restated` are supersessions that were there, and that the superseded document now says itself.
    """

    references: list[Reference] = field(default_factory=list)
    restated: list[EdgeStatement] = field(default_factory=list)
    turns: list[SupersessionChange] = field(default_factory=list)
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


async def believed_among(write: UnitOfWork, edges: Sequence[Edge]) -> Believed:
    """Return what is believed of these edges, at whatever time; one statement, or none where all are new."""
    asked = [edge for edge in edges if write.foresight is None or not write.foresight.is_unjoined(edge)]
    return await references.believed_among(write.connection, write.tenant, asked) if asked else {}


async def write_edge(
    write: UnitOfWork, project: Project, statement: EdgeStatement, joined: Joined, believed: Believed
) -> list[Reference]:
    """Write what is missing of a reference from its start on; nothing where it would close a circle.

    `believed` is what is believed of its edge, at whatever time, and is kept up with what is written.

    A reference that was withdrawn and is stated again holds again from then on. A supersession moves its
    target's state from when its source is in force; until then it moves nothing.
    """
    source, target, reference_type = statement.edge
    supersedes = reference_type is ReferenceType.SUPERSEDES
    start = statement.valid_from
    every = believed.setdefault(statement.edge, [])
    held = [each for each in every if each.valid.end is None or each.valid.end > start]
    missing = still_missing((each.valid for each in held), start, write.recorded_at)
    if not missing:
        if supersedes and statement.inverted:
            joined.restated.append(statement)
        return []
    if supersedes and await _leads(write, target, source, missing[0].start):
        joined.warnings.append("left out a supersession that would close a circle: one must stay current")
        return []
    written = [await _write_piece(write, project, statement, valid, joined) for valid in missing]
    every.extend(written)
    return written


async def _leads(write: UnitOfWork, start: UUID, end: UUID, since: datetime) -> bool:
    """Return whether a chain of supersessions leads from one entity to another, at a moment or later."""
    if write.foresight is not None and write.foresight.is_unsuperseded(end):
        return False
    return await references.supersession_leads(write.connection, write.tenant, start, end, since)


async def _write_piece(
    write: UnitOfWork, project: Project, statement: EdgeStatement, valid: Interval, joined: Joined
) -> Reference:
    reference = Reference(uuid4(), *statement.edge, statement.stated_by, valid)
    if write.foresight is not None:
        write.foresight.note_edge(statement.edge)
    await references.insert_reference(
        write.connection,
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
            joined.turns.append(SupersessionChange(reference.target, effective, statement.cause))
    return reference


def mention_of(artifact: UUID, entity: UUID, form: str, occurrences: int) -> Mention:
    """Return that an artifact names an entity in this form."""
    return Mention(artifact, entity, NamedForm(entity, form, name_key(form)), occurrences)
