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
        raise Invalid('properties are a JSON object, such as {"status": "accepted"}', field="props")
    return given
