"""Writing one reference that a caller states, inside an open write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.domain.entity import Reference, ReferenceType
from app.domain.moment import require_in_calendar
from app.domain.temporal import Interval, require_offset, still_missing
from app.errors import Invalid
from app.services.filing.edges import Joined, Statement, believed_among, write_edge
from app.services.filing.supersession import settle_all
from app.services.references.ends import require_ends, require_existing, require_rule
from app.services.write import Write
from app.stores.postgres import lookups, references


@dataclass(frozen=True, slots=True)
class StatedReference:
    """A reference as a caller states it; without `valid_from` it holds from now on."""

    source: UUID
    target: UUID
    type: ReferenceType
    source_artifact: UUID | None = None
    valid_from: datetime | None = None


async def add_reference(write: Write, stated: StatedReference) -> Reference:
    """Let an entity refer to another; the same reference again changes nothing and is answered as it is.

    Where it holds at times, what is missing of it is written: the time before it, which makes one reference
    of both, and the time since it was withdrawn. A supersession moves the target's state, so this comes last
    in a write. Raises NotFound for an end that is not there, and Invalid for a reference to itself, one that
    no rule allows, one that would close a circle of supersessions, or one that starts before an end does.
    """
    source, target = await require_ends(write, stated.source, stated.target, stated.source_artifact)
    await require_rule(write, source, target, stated.type)
    start = _start(write, stated)
    require_existing(source, target, start)
    edge = (stated.source, stated.target, stated.type)
    held = await references.believed_pieces(write.connection, write.tenant, edge, start)
    missing = still_missing((each.valid for each in held), start, write.recorded_at)
    if not missing:
        moment = max(start, write.recorded_at)
        return next(each for each in held if each.valid.covers(moment))
    occurrences = await _taken_up(write, held, missing, stated)
    joined = Joined()
    found = await lookups.projects_by_number(write.connection, write.tenant, [source.project])
    statement = Statement(edge, stated.source_artifact, stated.source_artifact, start, occurrences)
    written = await write_edge(
        write, found[source.project], statement, joined, await believed_among(write, [edge])
    )
    if not written:
        raise Invalid(
            "the target supersedes the source already, at that time or later: one must stay current",
            field="target",
            rule="supersession_is_acyclic",
        )
    await settle_all(write, joined.turns)
    return written[-1]


async def _taken_up(
    write: Write, held: Sequence[Reference], missing: Sequence[Interval], stated: StatedReference
) -> int:
    """Stop believing in a last piece that starts too late, so that it is written anew from its start on.

    Answers how often the reference is named. What another document states stays a piece of its own.
    """
    last = held[-1] if held else None
    if last is None or last.valid.end is not None or last.source_artifact != stated.source_artifact:
        return 1
    recorded = await references.recorded_reference(write.connection, write.tenant, last.id)
    if recorded is None or all(each.end != last.valid.start for each in missing):
        return 1
    await references.retract_reference(write.connection, write.tenant, last.id, write.recorded_at)
    return recorded.occurrences


def _start(write: Write, stated: StatedReference) -> datetime:
    if stated.valid_from is None:
        return write.recorded_at
    return require_in_calendar(require_offset(stated.valid_from, "validFrom"), "validFrom")
