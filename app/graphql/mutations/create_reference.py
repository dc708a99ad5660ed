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


@strawberry.input(description="A typed reference from one entity to another.")
class CreateReferenceInput:
    """The input of createReference."""

    source: strawberry.ID = strawberry.field(description="The entity that refers.")
    target: strawberry.ID = strawberry.field(description="The entity referred to.")
    type: ReferenceType = strawberry.field(
        description="How it refers to it; Type.canReference says which types may be joined. SUPERSEDES moves"
        " the target's state, from when the source is in force."
    )
    source_artifact: strawberry.ID | None = strawberry.field(
        default=None, description="The document that states it."
    )
    valid_from: datetime | None = strawberry.field(
        default=None,
        description="From when it holds, in the past or in the future, once both entities are there; now by"
        " default.",
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


@strawberry.type(description="A reference as it was written or ended.")
class ReferencePayload:
    """The payload of createReference and withdrawReference."""

    reference: Reference | None = strawberry.field(
        default=None,
        description="The reference, or the same one that was there. One that was withdrawn is recorded anew,"
        " under an id of its own; by the former id it is found with its end too.",
    )
    position: str | None = strawberry.field(
        default=None, description="The write's place in the ledger; null when nothing was written."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="Why nothing was written; empty when all went well."
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
