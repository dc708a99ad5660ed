"""Typed references between entities."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import strawberry

from app.domain import entity as domain
from app.domain import pending_reference
from app.domain.temporal import Interval
from app.graphql.context import Info
from app.graphql.types import artifact as artifacts
from app.graphql.types import entity as entities
from app.graphql.types.enums import ReferenceType
from app.graphql.types.lazy import ArtifactType, EntityType
from app.graphql.types.node import Node
from app.graphql.types.withdrawal import UNTIL, Withdrawal, find_withdrawal, held_until


@strawberry.type(description="A typed, dated edge from one entity to another.")
class Reference(Node):
    """A reference."""

    type: ReferenceType = strawberry.field(description="How the source refers to the target.")
    valid_from: datetime = strawberry.field(description="From when it holds.")
    valid: strawberry.Private[Interval]
    source_id: strawberry.Private[UUID]
    target_id: strawberry.Private[UUID]
    artifact_id: strawberry.Private[UUID | None]

    @classmethod
    def of(cls, reference: domain.Reference) -> Reference:
        """Wrap a reference."""
        return cls(
            id=strawberry.ID(str(reference.id)),
            type=reference.type,
            valid_from=reference.valid.start,
            valid=reference.valid,
            source_id=reference.source,
            target_id=reference.target,
            artifact_id=reference.source_artifact,
        )

    @strawberry.field(description="The entity that refers.")
    async def source(self, info: Info) -> EntityType:
        """Load its source."""
        return await entities.load_entity(info, self.source_id)

    @strawberry.field(description="The entity referred to.")
    async def target(self, info: Info) -> EntityType:
        """Load its target."""
        return await entities.load_entity(info, self.target_id)

    @strawberry.field(description="The document that states it.")
    async def source_artifact(self, info: Info) -> ArtifactType | None:
        """Load the artifact that states it."""
        return await artifacts.find_artifact(info, self.artifact_id)

    @strawberry.field(description=UNTIL.format(held="held"))
    async def valid_until(self, info: Info) -> datetime | None:
        """Load the end of its validity."""
        return await held_until(info, UUID(self.id), self.valid)

    @strawberry.field(description="How it was taken back; null for one that was not.")
    async def withdrawal(self, info: Info) -> Withdrawal | None:
        """Load its withdrawal."""
        return await find_withdrawal(info, UUID(self.id))


async def find_reference(info: Info, id: UUID) -> Reference | None:
    """Load the reference of an id; None if there is none."""
    found = await info.context.loaders.reference_by_id.load(id)
    return None if found is None else Reference.of(found)


@strawberry.type(
    description="A reference that a document makes to what is not there yet, or to what could be several"
    " things. It becomes a Reference when exactly one thing goes by that name."
)
class PendingReference:
    """A pending reference."""

    id: strawberry.ID = strawberry.field(description="Its id, a UUID; the reference it becomes has another.")
    type: ReferenceType = strawberry.field(description="How the one refers to the other.")
    waits_for: str = strawberry.field(
        description="What it waits for, as the document writes it: an identifier, a name or a path."
    )
    is_inverted: bool = strawberry.field(
        description="Whether what is waited for is to refer to the source, as `Superseded by ADR-9` says;"
        " else the source is to refer to it."
    )
    is_ambiguous: bool = strawberry.field(
        description="Whether it could mean several things that are there, rather than none."
    )
    valid_from: datetime = strawberry.field(description="From when it is to hold, at the earliest.")
    recorded_at: datetime = strawberry.field(description="Since when it waits.")
    source_id: strawberry.Private[UUID]
    artifact_id: strawberry.Private[UUID]

    @classmethod
    def of(cls, pending: pending_reference.PendingReference) -> PendingReference:
        """Wrap a pending reference."""
        return cls(
            id=strawberry.ID(str(pending.id)),
            type=pending.type,
            waits_for=pending.waits_for,
            is_inverted=pending.is_inverted,
            is_ambiguous=pending.is_ambiguous,
            valid_from=pending.valid_from,
            recorded_at=pending.recorded_at,
            source_id=pending.source,
            artifact_id=pending.source_artifact,
        )

    @strawberry.field(description="The entity whose document makes it.")
    async def source(self, info: Info) -> EntityType:
        """Load its source."""
        return await entities.load_entity(info, self.source_id)

    @strawberry.field(description="The document that makes it.")
    async def source_artifact(self, info: Info) -> ArtifactType | None:
        """Load the artifact that states it."""
        return await artifacts.find_artifact(info, self.artifact_id)
