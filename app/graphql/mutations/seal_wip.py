"""Sealing a draft: what it says is in force from now on."""

from __future__ import annotations

import strawberry
from strawberry.scalars import JSON

from app.graphql.arguments import IDEMPOTENCY_KEY, id_of
from app.graphql.context import Context, Info
from app.graphql.mutations import state_payload as shared
from app.graphql.mutations.state_payload import StatePayload, optional_id, properties_of, state_payload
from app.services.states import Sealing, StateAnswer


@strawberry.input(description="The draft to seal.")
class SealWipInput:
    """The input of sealWip."""

    state: strawberry.ID = strawberry.field(
        description="The id of the draft, as it was saved last: one that was saved again, sealed or discarded"
        " since is a conflict."
    )
    props: JSON | None = strawberry.field(
        default=None, description="Properties to change on the way, as an object; null takes one away."
    )
    event_type: str | None = strawberry.field(
        default=None,
        description="What happened, in one word of at most 64 characters; wip_sealed without one.",
    )
    expected_state: strawberry.ID | None = strawberry.field(
        default=None,
        description="The id of the state in force that the caller read: if another one is by now, nothing is"
        " written and the answer is a conflict. Without it what the draft says wins over whatever others"
        " changed in the same properties meanwhile.",
    )
    description: str | None = strawberry.field(default=None, description=shared.DESCRIPTION)
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


async def seal_wip(info: Info, input: SealWipInput) -> StatePayload:
    """Seal the draft."""

    async def sealed(context: Context) -> StateAnswer:
        return await context.states.seal_wip(
            context.caller,
            id_of(input.state, "state", "state"),
            Sealing(
                {} if input.props is None else properties_of(input.props),
                input.event_type or "",
                input.description,
                optional_id(input.expected_state, "state", "expectedState"),
            ),
            input.idempotency_key,
        )

    return await state_payload(info, sealed)
