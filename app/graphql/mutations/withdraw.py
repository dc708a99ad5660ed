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


@strawberry.input(description="A name that no longer means its entity, from now on.")
class WithdrawAliasInput:
    """The input of withdrawAlias."""

    alias: strawberry.ID = strawberry.field(description="The id of the alias.")
    reason: str | None = strawberry.field(default=None, description="Why; at most 2,000 characters.")
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@answers_with(AliasPayload)
async def withdraw_alias(context: Context, input: WithdrawAliasInput) -> AliasAnswer:
    """End the alias."""
    id = id_of(input.alias, "alias", "alias")
    return await context.aliases.withdraw(context.caller, id, input.reason, input.idempotency_key)


@strawberry.input(description="A reference that holds no longer, from now on.")
class WithdrawReferenceInput:
    """The input of withdrawReference."""

    reference: strawberry.ID = strawberry.field(
        description="The id of the reference. What only it superseded is again what it was."
    )
    reason: str | None = strawberry.field(default=None, description="Why; at most 2,000 characters.")
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@answers_with(ReferencePayload)
async def withdraw_reference(context: Context, input: WithdrawReferenceInput) -> ReferenceAnswer:
    """End the reference."""
    id = id_of(input.reference, "reference", "reference")
    return await context.references.withdraw(context.caller, id, input.reason, input.idempotency_key)
