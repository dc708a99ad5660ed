"""Surface forms that mean an entity."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import strawberry

from app.domain import entity as domain
from app.domain.temporal import Interval, known_moment
from app.graphql.context import Info, moment_of
from app.graphql.types import artifact as artifacts
from app.graphql.types import entity as entities
from app.graphql.types.node import ArtifactType, EntityType, Node, finds
from app.graphql.types.withdrawal import UNTIL, Withdrawal, find_withdrawal, held_until
from app.loaders import BatchedKey


@strawberry.type(description="Another name for an entity. It always leads toward the preferred name.")
class Alias(Node):
    """An alias."""

    surface_form: str = strawberry.field(description="The name, alias or identifier.")
    authority_tier: int = strawberry.field(
        description="The authority of its source: 1 a person, 2 an agent in a document, 3 a pattern."
    )
    valid_from: datetime | None = strawberry.field(
        description="The instant from which the name means the entity; null if nobody knows."
    )
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
            valid_from=known_moment(alias.valid.start),
            valid=alias.valid,
            target_id=alias.target,
            source_id=alias.source,
            artifact_id=alias.source_artifact,
        )

    @strawberry.field(description="The entity that the name means.")
    async def target(self, info: Info) -> EntityType:
        """Load its target."""
        return await entities.load_entity(info, self.target_id)

    @strawberry.field(
        description="The entity at the end of the chain of aliases that starts here, at the instant of the"
        " fields above."
    )
    async def canonical(self, info: Info) -> EntityType:
        """Load where the chain ends."""
        key = BatchedKey(self.target_id, moment_of(info))
        preferred = await info.context.loaders.preferred_id_by_entity.load(key)
        return await entities.load_entity(info, preferred or self.target_id)

    @strawberry.field(description="The entity that the target replaced, if the name belonged to it.")
    async def source(self, info: Info) -> EntityType | None:
        """Load its source."""
        return None if self.source_id is None else await entities.find_entity(info, self.source_id)

    @strawberry.field(description="The id of the document that states the reference.")
    async def source_artifact(self, info: Info) -> ArtifactType | None:
        """Load the artifact that states it."""
        return await artifacts.find_artifact(info, self.artifact_id)

    @strawberry.field(description=UNTIL.format(held="the name means the entity"))
    async def valid_until(self, info: Info) -> datetime | None:
        """Load the end of its validity."""
        return await held_until(info, UUID(self.id), self.valid)

    @strawberry.field(description="Its withdrawal; null if it was not withdrawn.")
    async def withdrawal(self, info: Info) -> Withdrawal | None:
        """Load its withdrawal."""
        return await find_withdrawal(info, UUID(self.id))


@strawberry.type(description="The meaning of a name, and the aliases that led to it.")
class AliasResolution:
    """A resolved form."""

    surface_form: str = strawberry.field(description="The name that was asked for.")
    entity: EntityType = strawberry.field(description="The entity that the name means.")
    chain: list[Alias] = strawberry.field(
        description="The aliases that led to the entity, in order; empty if the name is its own name or"
        " identifier."
    )

    @classmethod
    def of(cls, resolution: domain.AliasResolution) -> AliasResolution:
        """Wrap a resolution."""
        return cls(
            surface_form=resolution.surface_form,
            entity=entities.Entity.of(resolution.entity),
            chain=[Alias.of(alias) for alias in resolution.chain],
        )


@finds("Alias")
async def find_alias(info: Info, id: UUID) -> Alias | None:
    """Load the alias of an id; None if there is none."""
    found = await info.context.loaders.alias_by_id.load(id)
    return None if found is None else Alias.of(found)
