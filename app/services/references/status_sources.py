"""Who said which status of an entity, as the ledger tells it."""

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

SUPERSEDED, REVIVED = FOLLOWS = ("superseded", "revived")
"""Events that follow from what others say; the properties they speak of are none."""

CREATED, STATUS_TRANSITION, RENAME, REVISION = TOLD = ("created", "status_transition", "rename", "revision")
"""Events that a history tells, by the commit that caused them."""

_FACTS = ("fact", "correction")


async def load_status_history(write: UnitOfWork, entity: UUID, line: Sequence[EntityState]) -> StatusHistory:
    """Return who said which status of an entity from when on.

    What documents said up to the last change that a history tells gave way to it, and what begins no state
    of the line that is believed now is not held any more.
    """
    said = await state_history.statements_about(write.connection, write.tenant, entity)
    last = max((each.at for each in said if is_by_commit(each)), default=None)
    starts = {state.valid.start for state in line}
    found: dict[datetime, StatusAssertion] = {}
    for each in said:
        is_replaced = each.by_document and last is not None and each.at <= last
        if "status" in each.properties and each.at in starts and not is_replaced:
            found[each.at] = StatusAssertion(each.at, _voice(each), each.props.get("status"))
    moments = frozenset(each.at for each in said if not follows(each))
    return StatusHistory(sorted(found.values(), key=lambda saying: saying.at), moments)


def is_by_commit(statement: AssertedProperties) -> bool:
    """Return whether a history that was told says something, by a commit."""
    return statement.cause_commit is not None and not statement.by_document and statement.event_type in TOLD


def is_by_caller(statement: AssertedProperties) -> bool:
    """Return whether a caller stated something, and neither a document nor a history."""
    if statement.event_type in _FACTS:
        return True
    return not (follows(statement) or statement.by_document or is_by_commit(statement))


def follows(statement: AssertedProperties) -> bool:
    """Return whether something is not said of an entity itself, but follows from what supersedes it."""
    return statement.event_type in FOLLOWS and not statement.properties


def _voice(statement: AssertedProperties) -> StatusSource:
    if statement.event_type == CREATED:
        return StatusSource.RECORD
    if is_by_commit(statement):
        return StatusSource.EDITION
    return StatusSource.CALLER if is_by_caller(statement) else StatusSource.RECORD


def heard_by(
    heard: StatusHistory, voice: StatusSource, begins: datetime, told_from: datetime
) -> StatusHistory:
    """Return what was heard of an entity whose history has a voice of its own.

    What its first change says of the time before it, back to where the entity begins, is of record.
    """
    found = {each.at: each for each in heard.sayings}
    for at, each in found.items():
        if each.voice is StatusSource.EDITION or (at == begins and begins >= told_from):
            found[at] = replace(each, voice=voice)
    first = found.get(begins)
    is_silent = not any(begins < at <= told_from for at in found)
    if first is not None and first.voice is StatusSource.RECORD and is_silent:
        found[told_from] = replace(first, at=told_from, voice=voice)
    return replace(heard, sayings=sorted(found.values(), key=lambda saying: saying.at))
