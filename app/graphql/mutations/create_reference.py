"""The mutation createReference, and the payload of reference mutations."""

from __future__ import annotations

from datetime import datetime

import strawberry

from app.graphql.arguments import IDEMPOTENCY_KEY, id_of, optional_id
from app.graphql.context import Context
from app.graphql.errors import Problem
from app.graphql.mutations.payload import answers_with, position_text
from app.graphql.types.enums import ReferenceType
from app.graphql.types.reference import Reference
from app.services.references import ReferenceAnswer, StatedReference


@strawberry.input(description="The reference to create: typed, from one entity to another.")
class CreateReferenceInput:
    """The input of createReference."""

    source: strawberry.ID = strawberry.field(description="The id of the entity that refers.")
    target: strawberry.ID = strawberry.field(description="The id of the entity that is referred to.")
    type: ReferenceType = strawberry.field(
        description="The type of the reference. Type.canReference lists the pairs of types that it may join."
        " SUPERSEDES also changes the state of the target, from the instant at which the source"
        " is in force."
    )
    source_artifact: strawberry.ID | None = strawberry.field(
        default=None, description="The id of the document that states the reference."
    )
    valid_from: datetime | None = strawberry.field(
        default=None,
        description="The instant from which the reference is valid, in the past or the future. Both entities"
        " must exist then. The default is now.",
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)

    def to_reference(self) -> StatedReference:
        """Return the stated reference; raise NotFound for an unknown id."""
        return StatedReference(
            source=id_of(self.source, "entity", "source"),
            target=id_of(self.target, "entity", "target"),
            type=self.type,
            source_artifact=optional_id(self.source_artifact, "artifact", "sourceArtifact"),
            valid_from=self.valid_from,
        )


@strawberry.type(description="The result of createReference and withdrawReference.")
class ReferencePayload:
    """The payload of createReference and withdrawReference."""

    reference: Reference | None = strawberry.field(
        default=None,
        description="The reference, or the same one if it already existed. A withdrawn reference is a new"
        " record with a new id; the former id finds it too, with its end.",
    )
    position: str | None = strawberry.field(
        default=None, description="The position of the write in the ledger; null if nothing was written."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="The reasons why nothing was written; empty on success."
    )

    @classmethod
    def of(cls, answer: ReferenceAnswer) -> ReferencePayload:
        """Create the payload from the service's answer."""
        position = position_text(answer.position)
        return cls(reference=Reference.of(answer.reference), position=position)


@answers_with(ReferencePayload)
async def create_reference(context: Context, input: CreateReferenceInput) -> ReferenceAnswer:
    """Write the reference."""
    return await context.references.create(context.caller, input.to_reference(), input.idempotency_key)
