"""Typed references between entities."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import strawberry

from app.domain import entity as domain
from app.domain.temporal import Interval, known_moment
from app.graphql.context import Info
from app.graphql.types import artifact as artifacts
from app.graphql.types import entity as entities
from app.graphql.types.enums import ReferenceType
from app.graphql.types.node import ArtifactType, EntityType, Node, finds
from app.graphql.types.withdrawal import UNTIL, Withdrawal, find_withdrawal, held_until


@strawberry.type(description="A typed, dated edge from one entity to another.")
class Reference(Node):
    """A reference."""

    type: ReferenceType = strawberry.field(description="The type of the reference, seen from the source.")
    in_part: bool = strawberry.field(
        description="Whether the source supersedes only a part of the target, which stays current:"
        " `Superseded by ADR-9 (section 3 only)` is an example. Such a reference has the type RELATES_TO."
    )
    valid_from: datetime | None = strawberry.field(
        description="The instant from which it is valid; null if nobody knows."
    )
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
            in_part=reference.in_part,
            valid_from=known_moment(reference.valid.start),
            valid=reference.valid,
            source_id=reference.source,
            target_id=reference.target,
            artifact_id=reference.source_artifact,
        )

    @strawberry.field(description="The id of the entity that refers.")
    async def source(self, info: Info) -> EntityType:
        """Load its source."""
        return await entities.load_entity(info, self.source_id)

    @strawberry.field(description="The id of the entity that is referred to.")
    async def target(self, info: Info) -> EntityType:
        """Load its target."""
        return await entities.load_entity(info, self.target_id)

    @strawberry.field(description="The id of the document that states the reference.")
    async def source_artifact(self, info: Info) -> ArtifactType | None:
        """Load the artifact that states it."""
        return await artifacts.find_artifact(info, self.artifact_id)

    @strawberry.field(description=UNTIL.format(held="the reference is valid"))
    async def valid_until(self, info: Info) -> datetime | None:
        """Load the end of its validity."""
        return await held_until(info, UUID(self.id), self.valid)

    @strawberry.field(description="Its withdrawal; null if it was not withdrawn.")
    async def withdrawal(self, info: Info) -> Withdrawal | None:
        """Load its withdrawal."""
        return await find_withdrawal(info, UUID(self.id))


@finds("Reference")
async def find_reference(info: Info, id: UUID) -> Reference | None:
    """Load the reference of an id; None if there is none."""
    found = await info.context.loaders.reference_by_id.load(id)
    return None if found is None else Reference.of(found)


@strawberry.type(
    description="An unresolved reference: its target does not exist yet, or the name of the target is"
    " ambiguous. It becomes a Reference when exactly one entity has the name."
)
class PendingReference:
    """A pending reference."""

    id: strawberry.ID = strawberry.field(description="Its id, a UUID. The resolved reference has another id.")
    type: ReferenceType = strawberry.field(description="The type of the reference.")
    waits_for: str = strawberry.field(
        description="The target as the document writes it: an identifier, a name or a path."
    )
    is_inverted: bool = strawberry.field(
        description="Whether the direction is inverted, so that the unresolved entity refers to the source."
        " `Superseded by ADR-9` is an example."
    )
    in_part: bool = strawberry.field(
        description="Whether only a part of the one is superseded by the other, as in"
        " `Superseded by ADR-9 (section 3 only)`."
    )
    is_ambiguous: bool = strawberry.field(
        description="Whether several entities have this name; false if there is none yet."
    )
    valid_from: datetime | None = strawberry.field(
        description="The earliest instant from which the reference can be valid; null if nobody knows."
    )
    recorded_at: datetime = strawberry.field(description="The time at which it was recorded.")
    source_id: strawberry.Private[UUID]
    artifact_id: strawberry.Private[UUID]

    @classmethod
    def of(cls, pending: domain.PendingReference) -> PendingReference:
        """Wrap a pending reference."""
        return cls(
            id=strawberry.ID(str(pending.id)),
            type=pending.type,
            waits_for=pending.waits_for,
            is_inverted=pending.is_inverted,
            in_part=pending.in_part,
            is_ambiguous=pending.is_ambiguous,
            valid_from=known_moment(pending.valid_from),
            recorded_at=pending.recorded_at,
            source_id=pending.source,
            artifact_id=pending.source_artifact,
        )

    @strawberry.field(description="The entity whose document makes the reference.")
    async def source(self, info: Info) -> EntityType:
        """Load its source."""
        return await entities.load_entity(info, self.source_id)

    @strawberry.field(description="The document that makes the reference.")
    async def source_artifact(self, info: Info) -> ArtifactType | None:
        """Load the artifact that states it."""
        return await artifacts.find_artifact(info, self.artifact_id)
