"""The mutations recordFact, transition and moveArtifact, and the payload of the mutations of states."""

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
from app.services.filing.document_rename import RenameRequest
from app.services.states import StateAnswer, StateChange, StatedCause

ENTITY = "The id of the entity."
VALID_FROM = (
    "The instant from which the change is valid, in the past or the future. The default is now."
    " The value stays until the next state that sets or confirms the same property."
)
EXPECTED_STATE = (
    "The id of the state that the caller expects at that instant. If another state is valid,"
    " nothing is written and the problem is a conflict."
)
CAUSE_ARTIFACT = "The id of the document that caused the change."
CAUSE_COMMIT = "The commit that caused the change, of at most 256 characters."
DESCRIPTION = "A description of the change, of at most 4,096 characters."


@strawberry.type(description="The result of a mutation that changes the state of an entity.")
class StatePayload:
    """The payload of the state mutations."""

    entity: Entity | None = strawberry.field(default=None, description="The entity that changed.")
    state: EntityState | None = strawberry.field(
        default=None, description="The new state, or the discarded draft."
    )
    event: StateEvent | None = strawberry.field(
        default=None, description="The event that created or closed the state."
    )
    warnings: list[str] = strawberry.field(
        default_factory=list,
        description="Warnings about what was written, such as a status that does not say whether the document"
        " is in force.",
    )
    position: str | None = strawberry.field(
        default=None, description="The position of the write in the ledger; null if nothing was written."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="The reasons why nothing was written; empty on success."
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
        raise Invalid('props must be a JSON object, such as {"status": "accepted"}', field="props")
    return given


@strawberry.input(description="One property of an entity and its new value.")
class RecordFactInput:
    """The input of recordFact."""

    entity: strawberry.ID = strawberry.field(description=ENTITY)
    property: str = strawberry.field(description="The name of a mutable property of the entity's type.")
    value: JSON | None = strawberry.field(
        default=strawberry.UNSET, description="The new value of the property; null removes it."
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
        raise Invalid("value is missing; give the value of the property, or null to remove it", field="value")
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


@strawberry.input(
    description="Properties of an entity that change together, and the event that changed them."
)
class TransitionInput:
    """The input of transition."""

    entity: strawberry.ID = strawberry.field(description=ENTITY)
    props: JSON = strawberry.field(
        description='The properties that change, as an object such as {"status": "accepted"}. Null removes a'
        " property. Properties that are left out do not change."
    )
    event_type: str = strawberry.field(
        description="The type of the event: status_transition, rename, mode_change, correction, or another"
        " word of at most 64 characters that no other mutation writes."
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


@strawberry.input(
    description="The document to rename and its new identifier. Give either the entity or an artifact."
)
class MoveArtifactInput:
    """The input of moveArtifact."""

    identifier: str = strawberry.field(
        description="The new identifier, such as ADR-70, of at most 256 characters. No other document of the"
        " project may have it."
    )
    entity: strawberry.ID | None = strawberry.field(
        default=None, description="The id of the entity of the document."
    )
    artifact: strawberry.ID | None = strawberry.field(
        default=None, description="The id of an artifact of the document."
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)


@answers_with(StatePayload)
async def move_artifact(context: Context, input: MoveArtifactInput) -> StateAnswer:
    """Rename the document."""
    request = RenameRequest(
        input.identifier,
        optional_id(input.entity, "entity", "entity"),
        optional_id(input.artifact, "artifact", "artifact"),
    )
    return await context.renames.rename(context.caller, request, input.idempotency_key)
