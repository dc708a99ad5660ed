"""Write one reference that a caller states, inside an open unit of work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.domain.entity import Entity, Reference, ReferenceType
from app.domain.temporal import Interval, require_in_calendar, require_offset, rfc_3339, still_missing
from app.errors import Invalid
from app.services.catalog.lookup import require_artifact, require_entities
from app.services.references.beginnings import as_moved, move_beginnings
from app.services.references.edges import EdgeStatement, Joined, current_edges, write_edge
from app.services.references.supersession import recompute_statuses
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import artifacts, lookups, references


async def require_ends(
    write: UnitOfWork, source: UUID, target: UUID, source_artifact: UUID | None
) -> tuple[Entity, Entity]:
    """Return the ends of a reference; raises NotFound or Invalid, naming the field, for unfit ones."""
    found = await require_entities(write, {"source": source, "target": target})
    if source == target:
        raise Invalid("an entity cannot reference itself; name another target", field="target")
    if source_artifact is not None:
        await require_artifact(write, source_artifact, "sourceArtifact")
    return found[source], found[target]


async def require_rule(write: UnitOfWork, source: Entity, target: Entity, type: ReferenceType) -> None:
    """Raise Invalid, listing the types of reference that may join the two, when no rule allows this one."""
    allowed = await references.types_that_may_join(await write.flush(), write.tenant, source.id, target.id)
    if type not in allowed:
        raise Invalid(
            f"no rule allows {type} from {source.type_name} to {target.type_name}; allowed:"
            f" {', '.join(allowed) or 'nothing'}",
            field="type",
            allowed=allowed,
            rule="references_follow_their_rules",
        )


def require_existing(source: Entity, target: Entity, start: datetime) -> None:
    """Raise Invalid when one of the two begins only after a reference that joins them."""
    for name, end in (("source", source), ("target", target)):
        if start < end.created_at:
            raise Invalid(
                f"the {name} begins on {rfc_3339(end.created_at)}; give no earlier validFrom",
                field="validFrom",
            )


@dataclass(frozen=True, slots=True)
class StatedReference:
    """A reference as a caller states it; without `valid_from` it holds from now on."""

    source: UUID
    target: UUID
    type: ReferenceType
    source_artifact: UUID | None = None
    valid_from: datetime | None = None


async def add_reference(write: UnitOfWork, stated: StatedReference) -> Reference:
    """Add a reference between two entities; if it is there already, return it unchanged.

    If it holds at some times, the missing times are written: the time before it, which makes one reference
    of both, and the time since it was withdrawn. A supersession changes the target's status, so this must
    come last in a write. Raises NotFound for an end that is not there, and Invalid for a reference to itself,
    one that no rule allows, one that would close a circle of supersessions, or one that starts before an end
    does. A document without a date begins before what supersedes it.
    """
    source, target = await require_ends(write, stated.source, stated.target, stated.source_artifact)
    await require_rule(write, source, target, stated.type)
    start = _start(write, stated)
    is_earlier = stated.type is ReferenceType.SUPERSEDES and await _may_begin_earlier(write, target, start)
    require_existing(source, source if is_earlier else target, start)
    edge = (stated.source, stated.target, stated.type, False)
    held = await references.current_pieces(await write.flush(), write.tenant, edge, start)
    missing = still_missing((each.valid for each in held), start, write.recorded_at)
    if not missing:
        moment = max(start, write.recorded_at)
        return next(each for each in held if each.valid.covers(moment))
    occurrences = await _retract_last_piece(write, held, missing, stated)
    joined = Joined()
    found = await lookups.projects_by_number(await write.flush(), write.tenant, [source.project])
    statement = EdgeStatement(edge, stated.source_artifact, stated.source_artifact, start, occurrences)
    written = await write_edge(
        write, found[source.project], statement, joined, await current_edges(write, [edge])
    )
    if not written:
        raise Invalid(
            "the target supersedes the source at that time or later; one of the two must stay current",
            field="target",
            rule="supersession_is_acyclic",
        )
    await recompute_statuses(write, joined.changes)
    moved = await move_beginnings(write, {source.id, target.id})
    if is_earlier:
        require_existing(source, (await require_ends(write, source.id, target.id, None))[1], start)
    return as_moved(written[-1], moved)


async def _may_begin_earlier(write: UnitOfWork, target: Entity, start: datetime) -> bool:
    """Return whether a document counts from its filing alone, and may have been there before a moment."""
    where = (await write.flush(), write.tenant)
    return start < target.created_at and await artifacts.is_undated_at(*where, target.id, target.created_at)


async def _retract_last_piece(
    write: UnitOfWork, held: Sequence[Reference], missing: Sequence[Interval], stated: StatedReference
) -> int:
    """Retract a last piece that starts too late, so that it can be written again from an earlier start.

    Return how often the reference is named. A reference that another document states stays separate.
    """
    last = held[-1] if held else None
    if last is None or last.valid.end is not None or last.source_artifact != stated.source_artifact:
        return 1
    recorded = await references.recorded_reference(await write.flush(), write.tenant, last.id)
    if recorded is None or all(each.end != last.valid.start for each in missing):
        return 1
    await references.retract_reference(await write.flush(), write.tenant, last.id, write.recorded_at)
    return recorded.occurrences


def _start(write: UnitOfWork, stated: StatedReference) -> datetime:
    if stated.valid_from is None:
        return write.recorded_at
    return require_in_calendar(require_offset(stated.valid_from, "validFrom"), "validFrom")
