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


@strawberry.input(description="The alias to create. It is valid from now on.")
class CreateAliasInput:
    """The input of createAlias."""

    surface_form: str = strawberry.field(
        description="The name, of 2 to 512 characters. Names are compared without regard to case, character"
        " width and white space."
    )
    target: strawberry.ID = strawberry.field(description="The id of the entity that the name means.")
    source: strawberry.ID | None = strawberry.field(
        default=None,
        description="The id of an entity that the target replaces. Give it if the name is or was a name of"
        " that entity: all its names then lead to the target.",
    )
    authority_tier: int | None = strawberry.field(
        default=None,
        description="An authority tier lower than the caller's own, which is 1 for a person and 2 for an"
        " agent. Tier 3 puts the name into the review queue.",
    )
    source_artifact: strawberry.ID | None = strawberry.field(
        default=None, description="The id of the document that states the alias or uses the name."
    )
    project: str | None = strawberry.field(
        default=None, description="The key of the target's project. An alias belongs to one project."
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


@strawberry.type(description="The result of createAlias and withdrawAlias.")
class AliasPayload:
    """The payload of createAlias and withdrawAlias."""

    alias: Alias | None = strawberry.field(
        default=None,
        description="The alias, or the same one if it already existed; null while the name is in the review"
        " queue. A withdrawn alias is a new record with a new id; the former id finds it too,"
        " with its end.",
    )
    candidate: AliasCandidate | None = strawberry.field(
        default=None, description="The candidate in the review queue, for a name of tier 3."
    )
    position: str | None = strawberry.field(
        default=None, description="The position of the write in the ledger; null if only a queue changed."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="The reasons why nothing was written; empty on success."
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
