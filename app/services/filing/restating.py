"""A document that says itself what another one said of it: that it is superseded."""

from __future__ import annotations

from uuid import uuid4

from app.domain.entity import Reference
from app.domain.temporal import Interval
from app.services.filing.edges import Statement
from app.services.filing.supersession import Turn
from app.services.filing.taking_effect import effective_from
from app.services.write import Write
from app.stores.postgres import references


async def restate(write: Write, statement: Statement) -> Turn | None:
    """Let a supersession rest on the superseded document's own words, where it was not in effect by then.

    Answers what follows from it, if anything. Comes last in a write: what this write itself believed can only
    be given up at a later transaction time.
    """
    source, target, _ = statement.edge
    start = statement.valid_from
    held = await references.believed_edge(write.connection, write.tenant, statement.edge, start)
    if held is None:
        return None
    effective = await effective_from(write, held)
    if effective is not None and effective <= start:
        return None
    write = await write.later()
    recorded = await references.recorded_reference(write.connection, write.tenant, held.id)
    if recorded is None:
        return None
    where = (write.connection, write.tenant)
    await references.end_reference(*where, recorded, start, write.recorded_at, write.actor)
    valid = Interval(start, held.valid.end)
    own = Reference(uuid4(), source, target, held.type, statement.stated_by, valid)
    await references.insert_reference(
        *where, recorded.project, own, statement.occurrences, write.recorded_at, write.actor
    )
    return Turn(target, start, statement.cause)
