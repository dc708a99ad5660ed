"""The mutations recordFact and transition, and the payload of the mutations of states."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry
from strawberry.scalars import JSON

from app.errors import Invalid
from app.graphql.arguments import IDEMPOTENCY_KEY, id_of, optional_id
from app.graphql.context import Context
from app.graphql.errors import Problem
from app.graphql.mutations.payload import answers_with, position_text
from app.graphql.types.entity import Entity
from app.graphql.types.state import EntityState, StateEvent
from app.services.states import StateAnswer, StateChange, StatedCause

ENTITY = "The id of the entity."
VALID_FROM = (
    "From when on it is true, in the past or the future; from now on without it. It holds until a later state"
    " that something was said of."
)
EXPECTED_STATE = (
    "The id of the state that the caller believes holds at that moment: if another one does, nothing is"
    " written and the answer is a conflict."
)
CAUSE_ARTIFACT = "The id of the document that caused it."
CAUSE_COMMIT = "The commit that caused it; at most 256 characters."
DESCRIPTION = "What there is to say about it; at most 4,096 characters."


@strawberry.type(description="What a change of state left in the ledger.")
class StatePayload:
    """The payload of the state mutations."""

    entity: Entity | None = strawberry.field(default=None, description="The entity that changed.")
    state: EntityState | None = strawberry.field(
        default=None, description="The state that was opened or, for a draft that was discarded, closed."
    )
    event: StateEvent | None = strawberry.field(default=None, description="The step that led there.")
    warnings: list[str] = strawberry.field(
        default_factory=list,
        description="What is odd about what was written, and how it is read: a status of a document that"
        " does not tell whether it is in force.",
    )
    position: str | None = strawberry.field(
        default=None, description="The write's place in the ledger; null when nothing was written."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="Why nothing was written; empty when all went well."
    )

    @classmethod
    def of(cls, answer: StateAnswer) -> StatePayload:
        """Create the payload from the service's answer."""
        return cls(
            entity=Entity.of(answer.entity),
            state=EntityState.of(answer.state),
            event=StateEvent.of(answer.event),
            warnings=list(answer.warnings),
            position=position_text(answer.position),
        )


def properties_of(given: object) -> dict[str, Any]:
    """Return the properties of a JSON object; raise Invalid for any other value."""
    if not isinstance(given, dict):
        raise Invalid('properties are a JSON object, such as {"status": "accepted"}', field="props")
    return given


@strawberry.input(description="One property of an entity, and what it is.")
class RecordFactInput:
    """The input of recordFact."""

    entity: strawberry.ID = strawberry.field(description=ENTITY)
    property: str = strawberry.field(description="The name of a property that its type lets change.")
    value: JSON | None = strawberry.field(
        default=strawberry.UNSET, description="What the property is; null takes it away."
    )
    valid_from: datetime | None = strawberry.field(default=None, description=VALID_FROM)
    expected_state: strawberry.ID | None = strawberry.field(default=None, description=EXPECTED_STATE)
    cause_artifact: strawberry.ID | None = strawberry.field(default=None, description=CAUSE_ARTIFACT)
    cause_commit: str | None = strawberry.field(default=None, description=CAUSE_COMMIT)
    description: str | None = strawberry.field(default=None, description=DESCRIPTION)
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@answers_with(StatePayload)
async def record_fact(context: Context, input: RecordFactInput) -> StateAnswer:
    """Record the fact."""
    if input.value is strawberry.UNSET:
        raise Invalid("say what the property is, or null to take it away", field="value")
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


@strawberry.input(description="Properties of an entity that change together, and what happened.")
class TransitionInput:
    """The input of transition."""

    entity: strawberry.ID = strawberry.field(description=ENTITY)
    props: JSON = strawberry.field(
        description='The properties that change, as an object such as {"status": "accepted"}; null takes one'
        " away, and those not named stay as they are."
    )
    event_type: str = strawberry.field(
        description="What happened, in one word: status_transition, rename, mode_change, correction, or"
        " another of at most 64 characters that no other verb writes."
    )
    valid_from: datetime | None = strawberry.field(default=None, description=VALID_FROM)
    expected_state: strawberry.ID | None = strawberry.field(default=None, description=EXPECTED_STATE)
    cause_artifact: strawberry.ID | None = strawberry.field(default=None, description=CAUSE_ARTIFACT)
    cause_commit: str | None = strawberry.field(default=None, description=CAUSE_COMMIT)
    description: str | None = strawberry.field(default=None, description=DESCRIPTION)
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@answers_with(StatePayload)
async def transition(context: Context, input: TransitionInput) -> StateAnswer:
    """Carry out the transition."""
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
