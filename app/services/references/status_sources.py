"""Load the status history of an entity: which source asserted which status, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from app.domain.status_resolution import StatusAssertion, StatusHistory, StatusSource
from app.domain.temporal import EntityState
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import state_history
from app.stores.postgres.state_history import AssertedProperties

SUPERSEDED, REVIVED = DERIVED_EVENTS = ("superseded", "revived")
"""Events that follow from a supersession; they assert no properties of the entity."""

CREATED, STATUS_TRANSITION, RENAME, REVISION = HISTORY_EVENTS = (
    "created",
    "status_transition",
    "rename",
    "revision",
)
"""Events that an imported history records, each with the commit that caused it."""

_FACTS = ("fact", "correction")


async def load_status_history(write: UnitOfWork, entity: UUID, line: Sequence[EntityState]) -> StatusHistory:
    """Return which source asserted which status of an entity, and from when on.

    An imported history replaces what documents asserted up to its last change. An assertion that begins none
    of the states in `line`, which are believed now, no longer counts.
    """
    said = await state_history.statements_about(await write.flush(), write.tenant, entity)
    last = max((each.at for each in said if is_by_commit(each)), default=None)
    starts = {state.valid.start for state in line}
    found: dict[datetime, StatusAssertion] = {}
    said = [each for each in said if not (each.by_document and last is not None and each.at <= last)]
    for each in said:
        if "status" in each.properties and each.at in starts:
            found[each.at] = StatusAssertion(each.at, _source(each), each.props.get("status"))
    moments = frozenset(each.at for each in said if not is_derived(each))
    return StatusHistory(sorted(found.values(), key=lambda assertion: assertion.at), moments)


def is_by_commit(statement: AssertedProperties) -> bool:
    """Return whether an imported history asserts something, by a commit."""
    is_of_history = statement.event_type in HISTORY_EVENTS
    return is_of_history and statement.cause_commit is not None and not statement.by_document


def is_by_caller(statement: AssertedProperties) -> bool:
    """Return whether a caller asserted something, not a document or a history."""
    if statement.event_type in _FACTS:
        return True
    return not (is_derived(statement) or statement.by_document or is_by_commit(statement))


def is_derived(statement: AssertedProperties) -> bool:
    """Return whether an event follows from a supersession and asserts nothing of the entity itself."""
    return statement.event_type in DERIVED_EVENTS and not statement.properties


def _source(statement: AssertedProperties) -> StatusSource:
    if statement.event_type == CREATED:
        return StatusSource.RECORD
    if is_by_commit(statement):
        return StatusSource.EDITION
    return StatusSource.CALLER if is_by_caller(statement) else StatusSource.RECORD


def with_history_source(
    history: StatusHistory, source: StatusSource, begins: datetime, history_start: datetime
) -> StatusHistory:
    """Return the status history of an entity whose imported history counts as a source of its own.

    What its first change says of the time before that change, back to the entity's beginning, is of record.
    """
    found = {each.at: each for each in history.assertions}
    for at, each in found.items():
        if each.source is StatusSource.EDITION or (at == begins and begins >= history_start):
            found[at] = replace(each, source=source)
    first = found.get(begins)
    is_silent = not any(begins < at <= history_start for at in found)
    if first is not None and first.source is StatusSource.RECORD and is_silent:
        found[history_start] = replace(first, at=history_start, source=source)
    return replace(history, assertions=sorted(found.values(), key=lambda assertion: assertion.at))
