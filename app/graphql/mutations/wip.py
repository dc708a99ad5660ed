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


@strawberry.input(description="The draft of an entity and the properties to save in it.")
class SaveWipInput:
    """The input of saveWip."""

    entity: strawberry.ID = strawberry.field(description=ENTITY)
    props: JSON = strawberry.field(
        description='The properties to save in the draft, as an object such as {"status": "accepted"}. Null'
        " removes a property. Properties that are left out do not change. The first save starts"
        " from the committed state."
    )
    source: WipSource = strawberry.field(default=WipSource.EXPLICIT, description="The origin of the draft.")
    expected_state: strawberry.ID | None = strawberry.field(
        default=None,
        description="The id of the draft that the caller read. If it was saved again, sealed or discarded"
        " since then, nothing is written and the problem is a conflict. Without it the properties"
        " are saved in whatever draft exists.",
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
        description="The id of the draft after its last save. If it was saved again, sealed or discarded"
        " since then, the problem is a conflict."
    )
    props: JSON | None = strawberry.field(
        default=None, description="Properties to change while sealing, as an object. Null removes a property."
    )
    event_type: str | None = strawberry.field(
        default=None,
        description="The type of the event, in one word of at most 64 characters. The default is wip_sealed.",
    )
    expected_state: strawberry.ID | None = strawberry.field(
        default=None,
        description="The id of the committed state that the caller read. If another state is in force,"
        " nothing is written and the problem is a conflict. Without it the draft takes precedence"
        " over changes that others made to the same properties.",
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
        description="The id of the draft after its last save. If it was saved again, sealed or discarded"
        " since then, the problem is a conflict."
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
