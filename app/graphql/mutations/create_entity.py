"""The mutation createEntity."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from app.graphql.arguments import IDEMPOTENCY_KEY
from app.graphql.context import Context
from app.graphql.errors import Problem
from app.graphql.mutations.payload import answers_with, position_text
from app.graphql.types.entity import Entity
from app.graphql.types.state import EntityState
from app.services.entities import CreatedEntity, StatedEntity


@strawberry.input(description="The entity to create and its first properties.")
class CreateEntityInput:
    """The input of createEntity."""

    type: str = strawberry.field(
        description="The name of its type, such as Component; case does not matter. For the type of a"
        " document use fileArtifact."
    )
    props: JSON = strawberry.field(
        description="Its properties by name: the immutable ones, and a name if the type has no immutable"
        " property. A property that is null is ignored."
    )
    project: str | None = strawberry.field(
        default=None,
        description="The key of the project; it is created if it does not exist. The default is the project"
        " `default`.",
    )
    valid_from: datetime | None = strawberry.field(
        default=None,
        description="The instant at which the entity begins, in the past or the future. The default is now.",
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@strawberry.type(description="The result of createEntity.")
class EntityPayload:
    """The payload of createEntity."""

    entity: Entity | None = strawberry.field(default=None, description="The new entity.")
    state: EntityState | None = strawberry.field(default=None, description="Its first state.")
    position: str | None = strawberry.field(
        default=None, description="The position of the write in the ledger; null if nothing was written."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="The reasons why nothing was written; empty on success."
    )

    @classmethod
    def of(cls, created: CreatedEntity) -> EntityPayload:
        """Create the payload from the created entity."""
        return cls(
            entity=Entity.of(created.entity),
            state=EntityState.of(created.state),
            position=position_text(created.position),
        )


@answers_with(EntityPayload)
async def create_entity(context: Context, input: CreateEntityInput) -> CreatedEntity:
    """Create the thing."""
    stated = StatedEntity(input.type, input.props, input.valid_from)
    return await context.canonical.create_entity(context.caller, stated, input.project, input.idempotency_key)
