"""Surface forms that mean an entity."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import strawberry

from app.domain import entity as domain
from app.domain.temporal import Interval
from app.graphql.context import Info
from app.graphql.types import artifact as artifacts
from app.graphql.types import entity as entities
from app.graphql.types.lazy import ArtifactType, EntityType
from app.graphql.types.node import Node
from app.graphql.types.withdrawal import UNTIL, Withdrawal, find_withdrawal, held_until


@strawberry.type(description="Another name for an entity, always pointing toward the preferred one.")
class Alias(Node):
    """An alias."""

    surface_form: str = strawberry.field(description="The name as it is written.")
    authority_tier: int = strawberry.field(
        description="Who vouches for it: 1 a person, 2 an agent in a document, 3 a pattern extractor."
    )
    valid_from: datetime = strawberry.field(description="From when it means the entity.")
    valid: strawberry.Private[Interval]
    target_id: strawberry.Private[UUID]
    source_id: strawberry.Private[UUID | None]
    artifact_id: strawberry.Private[UUID | None]

    @classmethod
    def of(cls, alias: domain.Alias) -> Alias:
        """Wrap an alias."""
        return cls(
            id=strawberry.ID(str(alias.id)),
            surface_form=alias.surface_form,
            authority_tier=int(alias.tier),
            valid_from=alias.valid.start,
            valid=alias.valid,
            target_id=alias.target,
            source_id=alias.source,
            artifact_id=alias.source_artifact,
        )

    @strawberry.field(description="The entity it names.")
    async def target(self, info: Info) -> EntityType:
        """Load its target."""
        return await entities.load_entity(info, self.target_id)

    @strawberry.field(description="The entity at the end of the chain that starts here, as of now.")
    async def canonical(self, info: Info) -> EntityType:
        """Load where the chain ends."""
        preferred = await info.context.loaders.preferred_id_by_entity_id.load(self.target_id)
        return await entities.load_entity(info, preferred or self.target_id)

    @strawberry.field(description="The entity that gave way to the target, when the form was its name.")
    async def source(self, info: Info) -> EntityType | None:
        """Load its source."""
        return None if self.source_id is None else await entities.find_entity(info, self.source_id)

    @strawberry.field(description="The document that states it.")
    async def source_artifact(self, info: Info) -> ArtifactType | None:
        """Load the artifact that states it."""
        return await artifacts.find_artifact(info, self.artifact_id)

    @strawberry.field(description=UNTIL.format(held="did"))
    async def valid_until(self, info: Info) -> datetime | None:
        """Load the end of its validity."""
        return await held_until(info, UUID(self.id), self.valid)

    @strawberry.field(description="How it was taken back; null for one that was not.")
    async def withdrawal(self, info: Info) -> Withdrawal | None:
        """Load its withdrawal."""
        return await find_withdrawal(info, UUID(self.id))


@strawberry.type(description="What a name means, and how it came to.")
class AliasResolution:
    """A resolved form."""

    surface_form: str = strawberry.field(description="The name as it was asked.")
    entity: EntityType = strawberry.field(description="The entity it means.")
    chain: list[Alias] = strawberry.field(
        description="The aliases that led there, in order; empty for the entity's own name or identifier."
    )

    @classmethod
    def of(cls, resolution: domain.AliasResolution) -> AliasResolution:
        """Wrap a resolution."""
        return cls(
            surface_form=resolution.surface_form,
            entity=entities.Entity.of(resolution.entity),
            chain=[Alias.of(alias) for alias in resolution.chain],
        )


async def find_alias(info: Info, id: UUID) -> Alias | None:
    """Load the alias of an id; None if there is none."""
    found = await info.context.loaders.alias_by_id.load(id)
    return None if found is None else Alias.of(found)
