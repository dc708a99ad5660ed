"""The mutations recordFact and transition."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from app.errors import Invalid
from app.graphql.arguments import IDEMPOTENCY_KEY, id_of
from app.graphql.context import Context, Info
from app.graphql.mutations import state_payload as shared
from app.graphql.mutations.state_payload import StatePayload, optional_id, properties_of, state_payload
from app.services.states import StateAnswer, StateChange, StatedCause


@strawberry.input(description="One property of an entity and its new value.")
class RecordFactInput:
    """The input of recordFact."""

    entity: strawberry.ID = strawberry.field(description=shared.ENTITY)
    property: str = strawberry.field(description="The name of a mutable property of the entity's type.")
    value: JSON | None = strawberry.field(
        default=strawberry.UNSET, description="The new value of the property; null removes it."
    )
    valid_from: datetime | None = strawberry.field(default=None, description=shared.VALID_FROM)
    expected_state: strawberry.ID | None = strawberry.field(default=None, description=shared.EXPECTED_STATE)
    cause_artifact: strawberry.ID | None = strawberry.field(default=None, description=shared.CAUSE_ARTIFACT)
    cause_commit: str | None = strawberry.field(default=None, description=shared.CAUSE_COMMIT)
    description: str | None = strawberry.field(default=None, description=shared.DESCRIPTION)
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


async def record_fact(info: Info, input: RecordFactInput) -> StatePayload:
    """Record the fact."""

    async def record(context: Context) -> StateAnswer:
        if input.value is strawberry.UNSET:
            raise Invalid(
                "value is missing; give the value of the property, or null to remove it", field="value"
            )
        return await context.states.record_fact(
            context.caller,
            id_of(input.entity, "entity", "entity"),
            StateChange(
                {input.property: input.value},
                input.valid_from,
                optional_id(input.expected_state, "state", "expectedState"),
            ),
            StatedCause(
                "fact",
                optional_id(input.cause_artifact, "artifact", "causeArtifact"),
                input.cause_commit,
                input.description,
            ),
            input.idempotency_key,
        )

    return await state_payload(info, record)


@strawberry.input(
    description="Properties of an entity that change together, and the event that changed them."
)
class TransitionInput:
    """The input of transition."""

    entity: strawberry.ID = strawberry.field(description=shared.ENTITY)
    props: JSON = strawberry.field(
        description='The properties that change, as an object such as {"status": "accepted"}. Null removes a'
        " property. Properties that are left out do not change."
    )
    event_type: str = strawberry.field(
        description="The type of the event: status_transition, rename, mode_change, correction, or another"
        " word of at most 64 characters that no other mutation writes."
    )
    valid_from: datetime | None = strawberry.field(default=None, description=shared.VALID_FROM)
    expected_state: strawberry.ID | None = strawberry.field(default=None, description=shared.EXPECTED_STATE)
    cause_artifact: strawberry.ID | None = strawberry.field(default=None, description=shared.CAUSE_ARTIFACT)
    cause_commit: str | None = strawberry.field(default=None, description=shared.CAUSE_COMMIT)
    description: str | None = strawberry.field(default=None, description=shared.DESCRIPTION)
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


async def transition(info: Info, input: TransitionInput) -> StatePayload:
    """Carry out the transition."""

    async def carry_out(context: Context) -> StateAnswer:
        return await context.states.transition(
            context.caller,
            id_of(input.entity, "entity", "entity"),
            StateChange(
                properties_of(input.props),
                input.valid_from,
                optional_id(input.expected_state, "state", "expectedState"),
            ),
            StatedCause(
                input.event_type,
                optional_id(input.cause_artifact, "artifact", "causeArtifact"),
                input.cause_commit,
                input.description,
            ),
            input.idempotency_key,
        )

    return await state_payload(info, carry_out)
