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


@strawberry.input(description="A thing to create, and what is true of it from the start.")
class CreateEntityInput:
    """The input of createEntity."""

    type: str = strawberry.field(
        description="The name of its type, such as Component, compared without case. A document is filed"
        " instead."
    )
    props: JSON = strawberry.field(
        description="Its properties by name: those that never change, and a name if its type has none of"
        " these. A property that is null says nothing."
    )
    project: str | None = strawberry.field(
        default=None, description="The key of the project, made when it is new; default without one."
    )
    valid_from: datetime | None = strawberry.field(
        default=None, description="When it begins, in the past or the future; now without it."
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@strawberry.type(description="What creating a thing left in the ledger.")
class EntityPayload:
    """The payload of createEntity."""

    entity: Entity | None = strawberry.field(default=None, description="The new thing.")
    state: EntityState | None = strawberry.field(default=None, description="Its first state.")
    position: str | None = strawberry.field(
        default=None, description="The write's place in the ledger; null when nothing was written."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="Why nothing was written; empty when all went well."
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
