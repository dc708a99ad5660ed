"""What may be said of a document's status: a text, which tells readers whether it is in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.blank import is_blank
from app.domain.ontology import TypeDefinition
from app.domain.standing import is_known
from app.domain.temporal import EntityState, StateEvent
from app.errors import Invalid


def require_fit_status(definition: TypeDefinition, props: Mapping[str, Any]) -> None:
    """Raise Invalid for a status of a document that is no text; that of a thing may be anything."""
    status = props.get("status")
    if status is None or not definition.is_document:
        return
    if not isinstance(status, str) or is_blank(status):
        raise Invalid(
            f"the status of {definition.name} is a text such as Accepted; null takes it away", field="props"
        )


def odd_status(definition: TypeDefinition, state: EntityState, event: StateEvent) -> tuple[str, ...]:
    """Answer a warning when a step gives a document a status that does not tell whether it is in force."""
    status = state.props.get("status")
    if not definition.is_document or "status" not in event.properties or not isinstance(status, str):
        return ()
    if is_known(status):
        return ()
    return (f"counts as current: nothing is known of the status {status}",)
