"""The mutation createAlias, and the payload of alias mutations."""

from __future__ import annotations

import strawberry

from app.graphql.arguments import IDEMPOTENCY_KEY, id_of, optional_id
from app.graphql.context import Context
from app.graphql.errors import Problem
from app.graphql.mutations.payload import answers_with, position_text
from app.graphql.types.alias import Alias
from app.graphql.types.candidate import AliasCandidate
from app.services.aliases import AliasAnswer, AliasRequest


@strawberry.input(description="Another name for an entity, from now on.")
class CreateAliasInput:
    """The input of createAlias."""

    surface_form: str = strawberry.field(
        description="The name as it is written, of 2 to 512 characters; compared after folding case, width"
        " and white space."
    )
    target: strawberry.ID = strawberry.field(description="The entity it means: the one to prefer.")
    source: strawberry.ID | None = strawberry.field(
        default=None,
        description="The entity that gave way to the target, when the name is or was its own: all its names"
        " then lead to the target.",
    )
    authority_tier: int | None = strawberry.field(
        default=None,
        description="A lower authority than the caller's own, which is 1 for a person and 2 for an agent;"
        " 3 lets the name await review.",
    )
    source_artifact: strawberry.ID | None = strawberry.field(
        default=None, description="The document that states it, or that uses the name."
    )
    project: str | None = strawberry.field(
        default=None, description="The key of the target's project, which an alias holds in."
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)

    def request(self) -> AliasRequest:
        """Return the request; raise NotFound for an unknown id."""
        return AliasRequest(
            surface_form=self.surface_form,
            target=id_of(self.target, "entity", "target"),
            project=self.project,
            source=optional_id(self.source, "entity", "source"),
            authority_tier=self.authority_tier,
            source_artifact=optional_id(self.source_artifact, "artifact", "sourceArtifact"),
        )


@strawberry.type(description="An alias as it was written or ended.")
class AliasPayload:
    """The payload of createAlias and withdrawAlias."""

    alias: Alias | None = strawberry.field(
        default=None,
        description="The alias, or the same one that was there; null while it awaits review. One that was"
        " withdrawn is recorded anew, under an id of its own; by the former id it is found with its end too.",
    )
    candidate: AliasCandidate | None = strawberry.field(
        default=None, description="What awaits review, for a name of tier 3."
    )
    position: str | None = strawberry.field(
        default=None, description="The write's place in the ledger; null when nothing but a queue changed."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="Why nothing was written; empty when all went well."
    )

    @classmethod
    def of(cls, answer: AliasAnswer) -> AliasPayload:
        """Create the payload from the service's answer."""
        return cls(
            alias=None if answer.alias is None else Alias.of(answer.alias),
            candidate=None if answer.candidate is None else AliasCandidate.of(answer.candidate),
            position=position_text(answer.position),
        )


@answers_with(AliasPayload)
async def create_alias(context: Context, input: CreateAliasInput) -> AliasAnswer:
    """Write the alias."""
    return await context.aliases.create(context.caller, input.request(), input.idempotency_key)
