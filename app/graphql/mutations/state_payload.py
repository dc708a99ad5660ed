"""The payload of the state mutations, and helpers for their inputs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import strawberry

from app.errors import Invalid, TrigraphError
from app.graphql.arguments import id_of
from app.graphql.context import Context, Info
from app.graphql.errors import Problem, problem_from
from app.graphql.types.entity import Entity
from app.graphql.types.state import EntityState, StateEvent
from app.services.states import StateAnswer

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


async def state_payload(info: Info, verb: Callable[[Context], Awaitable[StateAnswer]]) -> StatePayload:
    """Run a state change and return its payload; a caller's mistake becomes a problem."""
    context = info.context
    context.renew()
    try:
        answer = await verb(context)
    except TrigraphError as error:
        return StatePayload(problems=[problem_from(error)])
    return StatePayload(
        entity=Entity.of(answer.entity),
        state=EntityState.of(answer.state),
        event=StateEvent.of(answer.event),
        warnings=list(answer.warnings),
        position=None if answer.position is None else str(answer.position),
    )


def optional_id(given: strawberry.ID | None, kind: str, field: str) -> UUID | None:
    """Return an optional id as a UUID; raise NotFound if it is not one."""
    return None if given is None else id_of(given, kind, field)


def properties_of(given: object) -> dict[str, Any]:
    """Return the properties of a JSON object; raise Invalid for any other value."""
    if not isinstance(given, dict):
        raise Invalid('props must be a JSON object, such as {"status": "accepted"}', field="props")
    return given
