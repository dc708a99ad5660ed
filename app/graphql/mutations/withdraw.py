"""The mutations withdrawAlias and withdrawReference."""

from __future__ import annotations

import strawberry

from app.errors import TrigraphError
from app.graphql.arguments import IDEMPOTENCY_KEY, id_of
from app.graphql.context import Info
from app.graphql.errors import problem_from
from app.graphql.mutations.create_alias import AliasPayload
from app.graphql.mutations.create_reference import ReferencePayload


@strawberry.input(description="The alias to withdraw. From now on the name no longer means its entity.")
class WithdrawAliasInput:
    """The input of withdrawAlias."""

    alias: strawberry.ID = strawberry.field(description="The id of the alias.")
    reason: str | None = strawberry.field(
        default=None, description="The reason, of at most 2,000 characters."
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


async def withdraw_alias(info: Info, input: WithdrawAliasInput) -> AliasPayload:
    """End the alias; a caller's mistake becomes a problem."""
    context = info.context
    context.renew()
    try:
        id = id_of(input.alias, "alias", "alias")
        answer = await context.aliases.withdraw(context.caller, id, input.reason, input.idempotency_key)
    except TrigraphError as error:
        return AliasPayload(problems=[problem_from(error)])
    return AliasPayload.of(answer)


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


async def withdraw_reference(info: Info, input: WithdrawReferenceInput) -> ReferencePayload:
    """End the reference; a caller's mistake becomes a problem."""
    context = info.context
    context.renew()
    try:
        id = id_of(input.reference, "reference", "reference")
        answer = await context.references.withdraw(context.caller, id, input.reason, input.idempotency_key)
    except TrigraphError as error:
        return ReferencePayload(problems=[problem_from(error)])
    return ReferencePayload.of(answer)
