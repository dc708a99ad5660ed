"""The mutations withdrawArtifact, withdrawAlias and withdrawReference."""

from __future__ import annotations

from datetime import datetime

import strawberry

from app.graphql.arguments import IDEMPOTENCY_KEY, id_of, optional_id
from app.graphql.context import Context
from app.graphql.errors import Problem
from app.graphql.mutations.create_alias import AliasPayload
from app.graphql.mutations.create_reference import ReferencePayload
from app.graphql.mutations.payload import answers_with, position_text
from app.graphql.types.entity import Entity
from app.graphql.types.withdrawal import Absence
from app.services.aliases import AliasAnswer
from app.services.filing.document_withdrawal import WithdrawalRequest, WithdrawnDocument
from app.services.references import ReferenceAnswer


@strawberry.input(description="The alias to withdraw. From now on the name no longer means its entity.")
class WithdrawAliasInput:
    """The input of withdrawAlias."""

    alias: strawberry.ID = strawberry.field(description="The id of the alias.")
    reason: str | None = strawberry.field(
        default=None, description="The reason, of at most 2,000 characters."
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@answers_with(AliasPayload)
async def withdraw_alias(context: Context, input: WithdrawAliasInput) -> AliasAnswer:
    """End the alias."""
    id = id_of(input.alias, "alias", "alias")
    return await context.aliases.withdraw(context.caller, id, input.reason, input.idempotency_key)


@strawberry.input(description="The reference to withdraw. From now on it is no longer valid.")
class WithdrawReferenceInput:
    """The input of withdrawReference."""

    reference: strawberry.ID = strawberry.field(
        description="The id of the reference. An entity that only this reference superseded gets its former"
        " status back."
    )
    reason: str | None = strawberry.field(
        default=None, description="The reason, of at most 2,000 characters."
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@answers_with(ReferencePayload)
async def withdraw_reference(context: Context, input: WithdrawReferenceInput) -> ReferenceAnswer:
    """End the reference."""
    id = id_of(input.reference, "reference", "reference")
    return await context.references.withdraw(context.caller, id, input.reason, input.idempotency_key)


@strawberry.input(
    description="The document to withdraw, by one of two ids. Recall and lists do not show it from an instant"
    " on, and its references end; as of an instant before, it is there. Filing it again brings it back."
)
class WithdrawArtifactInput:
    """The input of withdrawArtifact."""

    artifact: strawberry.ID | None = strawberry.field(
        default=None, description="The id of an artifact; all versions of its document are withdrawn."
    )
    entity: strawberry.ID | None = strawberry.field(
        default=None, description="The id of the entity of the document, instead of an artifact."
    )
    valid_from: datetime | None = strawberry.field(
        default=None,
        description="The instant from which it is withdrawn, in the past or the future, not before it begins."
        " The default is now.",
    )
    reason: str | None = strawberry.field(
        default=None, description="The reason, of at most 2,000 characters."
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@strawberry.type(description="The result of withdrawArtifact.")
class WithdrawArtifactPayload:
    """The payload of withdrawArtifact."""

    entity: Entity | None = strawberry.field(default=None, description="The entity of the document.")
    absence: Absence | None = strawberry.field(
        default=None, description="The span of time in which the document is not there."
    )
    position: str | None = strawberry.field(
        default=None, description="The position of the write in the ledger; null if nothing was written."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="The reasons why nothing was written; empty on success."
    )

    @classmethod
    def of(cls, answer: WithdrawnDocument) -> WithdrawArtifactPayload:
        """Create the payload from the service's answer."""
        return cls(
            entity=Entity.of(answer.entity),
            absence=Absence.of(answer.absence),
            position=position_text(answer.position),
        )


@answers_with(WithdrawArtifactPayload)
async def withdraw_artifact(context: Context, input: WithdrawArtifactInput) -> WithdrawnDocument:
    """Withdraw the document."""
    request = WithdrawalRequest(
        artifact=optional_id(input.artifact, "artifact", "artifact"),
        entity=optional_id(input.entity, "entity", "entity"),
        valid_from=input.valid_from,
        reason=input.reason,
    )
    return await context.withdrawals.withdraw(context.caller, request, input.idempotency_key)
