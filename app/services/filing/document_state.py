"""Write the state that a filed document gives its entity."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from app.domain.artifact import Document
from app.domain.properties_change import Amendment, AssertedNames, amend_from
from app.domain.temporal import Branch, EntityState
from app.domain.timeline import Assertion, PropertyChange, assert_from, differ, state_at
from app.domain.types import TypeDefinition
from app.services.filing.document_types import DOCUMENT_HEADERS
from app.services.references.edges import Filed
from app.services.references.status_sources import is_by_caller, is_derived
from app.services.states.change import Cause, carry_out
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import state_history, states
from app.stores.postgres.state_history import AssertedProperties
from app.stores.postgres.type_definitions import RecordedType


async def write_state(
    write: UnitOfWork, filed: Filed, document: Document, recorded_type: RecordedType, *, is_new: bool
) -> tuple[list[EntityState], EntityState]:
    """Set the entity's properties to the document's, from the document's date on; a new one has no state yet.

    A later version removes properties that earlier versions had and it does not; a property that callers set
    stays, unless the version changes it. Return the states believed before, and the state that the document
    gave.
    """
    held = [] if is_new else await _held(write, filed.entity.id)
    covering = state_at(held, filed.artifact.created_at) or (held[0] if held else None)
    props = _props(document, recorded_type, covering)
    if held:
        change = await _change_by_version(write, filed, props, recorded_type.definition, held)
    else:
        assertion = Assertion(filed.entity.id, props, filed.artifact.id, write.actor)
        change = assert_from([], assertion, filed.artifact.created_at, write.recorded_at)
    event = "created" if change.previous is None else _event_type(change.previous.props, change.new.props)
    cause = Cause(event, artifact=filed.artifact.id, commit=document.source_commit)
    await carry_out(write, change, cause)
    return held, change.new


async def _held(write: UnitOfWork, entity: UUID) -> list[EntityState]:
    return await states.current_states(await write.flush(), write.tenant, entity, Branch.COMMITTED)


async def _change_by_version(
    write: UnitOfWork,
    filed: Filed,
    props: dict[str, Any],
    definition: TypeDefinition,
    held: list[EntityState],
) -> PropertyChange:
    where = (await write.flush(), write.tenant, filed.entity.id)
    asserted = await states.asserted_properties(*where, Branch.COMMITTED)
    documents = await states.asserted_by_documents(*where)
    start = filed.artifact.created_at
    covering = state_at(held, start)
    before = {} if covering is None else covering.props
    gone = [name for name in before if name not in props and _is_said_by(documents, asserted, name, start)]
    assertions = await state_history.statements_about(*where)
    props = {name: value for name, value in props.items() if not _is_callers(assertions, name, value, start)}
    constant = {name: value for name, value in props.items() if name in definition.immutable_props}
    said = {name: value for name, value in props.items() if name not in constant} | dict.fromkeys(gone)
    amendment = Amendment(filed.entity.id, said, constant, write.actor, filed.artifact.id)
    # A version states all of a document's properties, so that none reaches into a later version.
    stops = {**asserted, **dict.fromkeys(documents, frozenset(said))}
    return amend_from(held, stops, amendment, start, write.recorded_at)


def _is_said_by(documents: AssertedNames, asserted: AssertedNames, name: str, moment: datetime) -> bool:
    """Return whether a document set a property last; a property without an event is a document's."""
    last = max(
        (start for start, names in asserted.items() if name in names and start <= moment), default=None
    )
    return last is None or name in documents.get(last, ())


def _is_callers(assertions: Sequence[AssertedProperties], name: str, value: Any, moment: datetime) -> bool:
    """Return whether a caller set a property last and the document's value for it has not changed since."""
    said = [
        each for each in assertions if name in each.properties and each.at <= moment and not is_derived(each)
    ]
    said.sort(key=lambda each: each.at)
    texts = [each.props.get(name) for each in said if not is_by_caller(each)]
    return bool(texts) and is_by_caller(said[-1]) and not differ(texts[-1], value)


def _props(document: Document, recorded_type: RecordedType, covering: EntityState | None) -> dict[str, Any]:
    """Return the properties in a document's header, immutable ones as in the state there was then."""
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
        if covering is not None:
            props.pop(name, None)
            props.update({name: covering.props[name]} if name in covering.props else {})
    return props


def _event_type(before: dict[str, Any], after: dict[str, Any]) -> str:
    if before.get("status") != after.get("status"):
        return "status_transition"
    return "rename" if before.get("title") != after.get("title") else "revision"


def state_from_artifact(held: list[EntityState], artifact: UUID) -> EntityState:
    """Return the last state that an artifact gave its entity, else the entity's last state."""
    return next((state for state in reversed(held) if state.source_artifact == artifact), held[-1])
