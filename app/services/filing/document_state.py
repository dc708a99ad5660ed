"""What a filed document makes of its entity's state."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from app.domain.artifact import Document
from app.domain.temporal import Branch, EntityState
from app.domain.timeline import Assertion, assert_from
from app.services.filing.edges import Filed
from app.services.filing.kinds import DOCUMENT_HEADERS
from app.services.timelines import Cause, carry_out
from app.services.write import Write
from app.stores.postgres import states
from app.stores.postgres.ontology import RecordedType


async def write_state(
    write: Write, filed: Filed, document: Document, recorded_type: RecordedType, *, is_new: bool
) -> list[EntityState]:
    """Let the entity be what the document says, from the document's date on; a new one has no state yet.

    Answers what was believed of the entity before.
    """
    where = (write.connection, write.tenant, filed.entity.id)
    held = [] if is_new else await states.believed_states(*where, Branch.COMMITTED)
    props = _props(document, recorded_type, held)
    assertion = Assertion(filed.entity.id, props, filed.artifact.id, write.actor)
    change = assert_from(held, assertion, filed.artifact.created_at, write.recorded_at)
    event = _event_type(held[-1].props, props) if held else "created"
    cause = Cause(event, artifact=filed.artifact.id, commit=document.source_commit)
    await carry_out(write, change, cause)
    return held


def _props(document: Document, recorded_type: RecordedType, held: list[EntityState]) -> dict[str, Any]:
    """Answer what the document's header says of its entity, immutable properties as first written."""
    definition = recorded_type.definition
    unknown = {*definition.unknown_props(document.props), *DOCUMENT_HEADERS}
    props = {name: value for name, value in document.props.items() if name not in unknown}
    props["title"] = document.title
    if document.status:
        props["status"] = document.status
    if document.author:
        props["author"] = document.author
    if document.identifier:
        props["identifier"] = document.identifier
    for name in definition.immutable_props:
        if held:
            props.pop(name, None)
            props.update({name: held[0].props[name]} if name in held[0].props else {})
    return props


def _event_type(before: dict[str, Any], after: dict[str, Any]) -> str:
    if before.get("status") != after.get("status"):
        return "status_transition"
    return "rename" if before.get("title") != after.get("title") else "revision"


def state_from_artifact(held: list[EntityState], artifact: UUID) -> EntityState:
    """Answer the last of an entity's states that an artifact gave, or else its last."""
    return next((state for state in reversed(held) if state.source_artifact == artifact), held[-1])
