"""Discarding a draft."""

from __future__ import annotations

import strawberry

from app.graphql.arguments import IDEMPOTENCY_KEY, id_of
from app.graphql.context import Context, Info
from app.graphql.mutations import state_payload as shared
from app.graphql.mutations.state_payload import StatePayload, state_payload
from app.services.states import StateAnswer


@strawberry.input(description="The draft to discard.")
class DiscardWipInput:
    """The input of discardWip."""

    state: strawberry.ID = strawberry.field(
        description="The id of the draft, as it was saved last: one that was saved again, sealed or discarded"
        " since is a conflict."
    )
    description: str | None = strawberry.field(default=None, description=shared.DESCRIPTION)
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


async def discard_wip(info: Info, input: DiscardWipInput) -> StatePayload:
    """Discard the draft."""

    async def discarded(context: Context) -> StateAnswer:
        return await context.states.discard_wip(
            context.caller,
            id_of(input.state, "state", "state"),
            input.description,
            input.idempotency_key,
        )

    return await state_payload(info, discarded)
