"""The mutations saveWip, sealWip and discardWip."""

from __future__ import annotations

import strawberry
from strawberry.scalars import JSON

from app.graphql.arguments import IDEMPOTENCY_KEY, id_of, optional_id
from app.graphql.context import Context
from app.graphql.mutations.change_state import DESCRIPTION, ENTITY, StatePayload, properties_of
from app.graphql.mutations.payload import answers_with
from app.graphql.types.enums import WipSource
from app.services.states import DraftChange, Sealing, StateAnswer


@strawberry.input(description="What the draft of an entity is to say.")
class SaveWipInput:
    """The input of saveWip."""

    entity: strawberry.ID = strawberry.field(description=ENTITY)
    props: JSON = strawberry.field(
        description='The properties to lay over the draft, as an object such as {"status": "accepted"}; null'
        " takes one away, and those not named stay as they are. A first draft begins from what is in force."
    )
    source: WipSource = strawberry.field(
        default=WipSource.EXPLICIT, description="Where the draft comes from."
    )
    expected_state: strawberry.ID | None = strawberry.field(
        default=None,
        description="The id of the draft that the caller read: if it was saved again, sealed or discarded"
        " since, nothing is written and the answer is a conflict. Without it the properties are laid over"
        " whatever draft there is.",
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@answers_with(StatePayload)
async def save_wip(context: Context, input: SaveWipInput) -> StateAnswer:
    """Save the draft."""
    return await context.states.save_wip(
        context.caller,
        id_of(input.entity, "entity", "entity"),
        DraftChange(
            properties_of(input.props),
            input.source,
            optional_id(input.expected_state, "state", "expectedState"),
        ),
        input.idempotency_key,
    )


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
    description: str | None = strawberry.field(default=None, description=DESCRIPTION)
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@answers_with(StatePayload)
async def seal_wip(context: Context, input: SealWipInput) -> StateAnswer:
    """Seal the draft."""
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


@strawberry.input(description="The draft to discard.")
class DiscardWipInput:
    """The input of discardWip."""

    state: strawberry.ID = strawberry.field(
        description="The id of the draft, as it was saved last: one that was saved again, sealed or discarded"
        " since is a conflict."
    )
    description: str | None = strawberry.field(default=None, description=DESCRIPTION)
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@answers_with(StatePayload)
async def discard_wip(context: Context, input: DiscardWipInput) -> StateAnswer:
    """Discard the draft."""
    return await context.states.discard_wip(
        context.caller,
        id_of(input.state, "state", "state"),
        input.description,
        input.idempotency_key,
    )
