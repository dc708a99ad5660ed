"""The mutations withdrawAlias and withdrawReference."""

from __future__ import annotations

import strawberry

from app.graphql.arguments import IDEMPOTENCY_KEY, id_of
from app.graphql.context import Context
from app.graphql.mutations.create_alias import AliasPayload
from app.graphql.mutations.create_reference import ReferencePayload
from app.graphql.mutations.payload import answers_with
from app.services.aliases import AliasAnswer
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
