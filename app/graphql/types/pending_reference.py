"""References that wait for their other end."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import strawberry

from app.domain import waiting as domain
from app.graphql.context import Info
from app.graphql.types import artifact as artifacts
from app.graphql.types import entity as entities
from app.graphql.types.enums import ReferenceType
from app.graphql.types.lazy import ArtifactType, EntityType


@strawberry.type(
    description="A reference that a document makes to what is not there yet, or to what could be several"
    " things. It becomes a Reference when exactly one thing goes by that name."
)
class PendingReference:
    """A reference that waits."""

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
    def of(cls, waiting: domain.WaitingReference) -> PendingReference:
        """Wrap a reference that waits."""
        return cls(
            id=strawberry.ID(str(waiting.id)),
            type=waiting.type,
            waits_for=waiting.waits_for,
            is_inverted=waiting.is_inverted,
            is_ambiguous=waiting.is_ambiguous,
            valid_from=waiting.valid_from,
            recorded_at=waiting.recorded_at,
            source_id=waiting.source,
            artifact_id=waiting.source_artifact,
        )

    @strawberry.field(description="The entity whose document makes it.")
    async def source(self, info: Info) -> EntityType:
        """Load its source."""
        return await entities.load_entity(info, self.source_id)

    @strawberry.field(description="The document that makes it.")
    async def source_artifact(self, info: Info) -> ArtifactType | None:
        """Load the artifact that makes it."""
        return await artifacts.find_artifact(info, self.artifact_id)
