"""The mutations for what a project has without a document: types, status words and entities."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from app.graphql.arguments import IDEMPOTENCY_KEY
from app.graphql.context import Context
from app.graphql.errors import Problem
from app.graphql.mutations.payload import answers_with, position_text
from app.graphql.types.entity import Entity
from app.graphql.types.enums import StateFlag
from app.graphql.types.project import StatusWord, Type
from app.graphql.types.state import EntityState
from app.services.entities import (
    CreatedEntity,
    DefinedStatusWord,
    DefinedType,
    StatedEntity,
    StatedStatusWord,
    StatedType,
)


@strawberry.input(
    description="The type to define. If the project has this type already, new properties are added, none is"
    " removed, and immutable properties do not change."
)
class DefineTypeInput:
    """The input of defineType."""

    name: str = strawberry.field(
        description="Its name, of at most 64 characters. Case does not matter: no other type of the project,"
        " and no type that every project has, may have the same name."
    )
    project: str | None = strawberry.field(
        default=None,
        description="The key of the project; it is created if it does not exist. The default is the project"
        " `default`.",
    )
    ptype: str | None = strawberry.field(
        default=None, description="The part of a project that it describes. The default is application."
    )
    immutable_props: list[str] | None = strawberry.field(
        default=None,
        description="Properties that are set once, when an entity is created. A document type has exactly"
        " one, identifier.",
    )
    mutable_props: list[str] | None = strawberry.field(
        default=None,
        description="Properties that may change over time. A document type also has the standard ones.",
    )
    is_document: bool | None = strawberry.field(
        default=None,
        description="Whether its entities are filed as documents with fileArtifact, instead of created with"
        " createEntity. The default is the value of the existing definition, or false.",
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)

    def to_type(self) -> StatedType:
        """Return the type that the input states."""
        return StatedType(
            name=self.name,
            ptype=self.ptype,
            immutable_props=tuple(self.immutable_props or ()),
            mutable_props=tuple(self.mutable_props or ()),
            is_document=self.is_document,
        )


@strawberry.type(description="The result of defineType.")
class TypePayload:
    """The payload of defineType."""

    type: Type | None = strawberry.field(default=None, description="The type after the mutation.")
    changed: bool = strawberry.field(
        default=False,
        description="Whether something was written; false if the definition was the same before.",
    )
    position: str | None = strawberry.field(
        default=None, description="The position of the write in the ledger; null if nothing was written."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="The reasons why nothing was written; empty on success."
    )

    @classmethod
    def of(cls, defined: DefinedType) -> TypePayload:
        """Create the payload from the defined type."""
        return cls(
            type=Type.of(defined.definition),
            changed=defined.changed,
            position=position_text(defined.position),
        )


@answers_with(TypePayload)
async def define_type(context: Context, input: DefineTypeInput) -> DefinedType:
    """Define the type."""
    return await context.canonical.define_type(
        context.caller, input.to_type(), input.project, input.idempotency_key
    )


@strawberry.input(description="The status word to define, and the flag that it means from now on.")
class DefineStatusInput:
    """The input of defineStatus."""

    word: str = strawberry.field(
        description="The word, or several words, of at most 64 characters. Case and marks do not matter. A"
        " status means what the longest known words at its start mean. `superseded` cannot be defined."
    )
    flag: StateFlag | None = strawberry.field(
        default=None,
        description="The flag that it means. Null takes the definition back: the word then means what it"
        " means in other projects, or nothing.",
    )
    project: str | None = strawberry.field(
        default=None,
        description="The key of the project; it is created if it does not exist. The default is the project"
        " `default`.",
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)

    def to_word(self) -> StatedStatusWord:
        """Return the word that the input states."""
        return StatedStatusWord(self.word, self.flag)


@strawberry.type(description="The result of defineStatus.")
class StatusPayload:
    """The payload of defineStatus."""

    status: StatusWord | None = strawberry.field(
        default=None, description="The status word after the mutation."
    )
    changed: bool = strawberry.field(
        default=False,
        description="Whether something was written; false if the word meant the same before.",
    )
    position: str | None = strawberry.field(
        default=None,
        description="The position of the write in the ledger; null if it changed no entity.",
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="The reasons why nothing was written; empty on success."
    )

    @classmethod
    def of(cls, defined: DefinedStatusWord) -> StatusPayload:
        """Create the payload from the defined word."""
        return cls(
            status=StatusWord.of(defined.status),
            changed=defined.changed,
            position=position_text(defined.position),
        )


@answers_with(StatusPayload)
async def define_status(context: Context, input: DefineStatusInput) -> DefinedStatusWord:
    """Define the status word."""
    return await context.canonical.define_status(
        context.caller, input.to_word(), input.project, input.idempotency_key
    )


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
