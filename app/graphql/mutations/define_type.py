"""The mutation defineType."""

from __future__ import annotations

import strawberry

from app.graphql.arguments import IDEMPOTENCY_KEY
from app.graphql.context import Context
from app.graphql.errors import Problem
from app.graphql.mutations.payload import answers_with, position_text
from app.graphql.types.project import Type
from app.services.entities import DefinedType, StatedType


@strawberry.input(
    description="A type of a project. One that the project defined before carries what is new of it as well;"
    " nothing is taken from it, and what never changes stays as it was defined."
)
class DefineTypeInput:
    """The input of defineType."""

    name: str = strawberry.field(
        description="Its name, of at most 64 characters; no other type of the project, nor one that every"
        " project has, has it in any case."
    )
    project: str | None = strawberry.field(
        default=None, description="The key of the project, made when it is new; default without one."
    )
    ptype: str | None = strawberry.field(
        default=None, description="What part of a project it describes; application without one."
    )
    immutable_props: list[str] | None = strawberry.field(
        default=None,
        description="Properties that are set when a thing is created and never again. Of a document type"
        " identifier is one, and no other.",
    )
    mutable_props: list[str] | None = strawberry.field(
        default=None,
        description="Properties that may change over time. A document type has the usual ones beside them.",
    )
    is_document: bool | None = strawberry.field(
        default=None,
        description="Whether its things are filed as documents of this kind, rather than created; as it was"
        " defined, or else false, by default.",
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


@strawberry.type(description="What defining a type left in the ledger.")
class TypePayload:
    """The payload of defineType."""

    type: Type | None = strawberry.field(default=None, description="The type as it is now.")
    changed: bool = strawberry.field(
        default=False, description="Whether something was written; false when it was defined so before."
    )
    position: str | None = strawberry.field(
        default=None, description="The write's place in the ledger; null when nothing was written."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="Why nothing was written; empty when all went well."
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
