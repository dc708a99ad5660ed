"""Who said which status of an entity, as the ledger tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from app.domain.giving_way import Heard, Saying, Voice
from app.domain.temporal import EntityState
from app.services.write import Write
from app.stores.postgres import chronicle
from app.stores.postgres.chronicle import Statement

SUPERSEDED, REVIVED = FOLLOWS = ("superseded", "revived")
"""Events that follow from what others say; the properties they speak of are none."""

CREATED, STATUS_TRANSITION, RENAME, REVISION = TOLD = ("created", "status_transition", "rename", "revision")
"""Events that a history tells, by the commit that caused them."""

_FACTS = ("fact", "correction")


async def heard_of(write: Write, entity: UUID, line: Sequence[EntityState]) -> Heard:
    """Answer who said which status of an entity from when on.

    What documents said up to the last change that a history tells gave way to it, and what begins no state
    of the line that is believed now is not held any more.
    """
    said = await chronicle.statements_about(write.connection, write.tenant, entity)
    last = max((each.at for each in said if is_by_commit(each)), default=None)
    starts = {state.valid.start for state in line}
    found: dict[datetime, Saying] = {}
    for each in said:
        is_replaced = each.by_document and last is not None and each.at <= last
        if "status" in each.properties and each.at in starts and not is_replaced:
            found[each.at] = Saying(each.at, _voice(each), each.props.get("status"))
    moments = frozenset(each.at for each in said if not follows(each))
    return Heard(sorted(found.values(), key=lambda saying: saying.at), moments)


def is_by_commit(statement: Statement) -> bool:
    """Tell whether a history that was told says something, by a commit."""
    return statement.cause_commit is not None and not statement.by_document and statement.event_type in TOLD


def is_by_caller(statement: Statement) -> bool:
    """Tell whether a caller stated something, and neither a document nor a history."""
    if statement.event_type in _FACTS:
        return True
    return not (follows(statement) or statement.by_document or is_by_commit(statement))


def follows(statement: Statement) -> bool:
    """Tell whether something is not said of an entity itself, but follows from what supersedes it."""
    return statement.event_type in FOLLOWS and not statement.properties


def _voice(statement: Statement) -> Voice:
    if statement.event_type == CREATED:
        return Voice.RECORD
    if is_by_commit(statement):
        return Voice.EDITION
    return Voice.CALLER if is_by_caller(statement) else Voice.RECORD


def heard_by(heard: Heard, voice: Voice, begins: datetime, told_from: datetime) -> Heard:
    """Answer what was heard of an entity whose history has a voice of its own.

    What its first change says of the time before it, back to where the entity begins, is of record.
    """
    found = {each.at: each for each in heard.sayings}
    for at, each in found.items():
        if each.voice is Voice.EDITION or (at == begins and begins >= told_from):
            found[at] = replace(each, voice=voice)
    first = found.get(begins)
    is_silent = not any(begins < at <= told_from for at in found)
    if first is not None and first.voice is Voice.RECORD and is_silent:
        found[told_from] = replace(first, at=told_from, voice=voice)
    return replace(heard, sayings=sorted(found.values(), key=lambda saying: saying.at))
