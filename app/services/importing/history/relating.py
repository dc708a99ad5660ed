"""Dating a document's references by its history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from app.domain.artifact import ReferenceClaim
from app.domain.entity import Entity, Project, Reference, ReferenceType
from app.domain.ontology import types_from_documents_to_things
from app.domain.spans import after, joined, without
from app.domain.temporal import Interval
from app.services.filing.targets import find_targets
from app.services.foresight import Edge
from app.services.parsing.ways import ways_of
from app.services.write import Write
from app.stores.postgres import chronicle, references
from app.stores.postgres.chronicle import Span, Version
from app.stores.postgres.entities import KeyedEntity


@dataclass(frozen=True, slots=True)
class Relating:
    """A document whose references are dated; `untold` are entities of whose history more is still to come.

    What their documents stated so far gives way, since their history will say from when on they did.
    """

    write: Write
    project: Project
    entity: Entity
    version: Version
    untold: Collection[UUID]


async def relate(relating: Relating, spans: dict[ReferenceClaim, list[Interval]]) -> list[str]:
    """Let the references that a history claims hold as long as it says; answers what was left out and why."""
    if not spans:
        return []
    key = relating.entity.key or ""
    source = relating.version.source_uri
    ways = {claim: ways_of(claim, key, source) for claim in spans}
    targets = await find_targets(relating.write, relating.project, key, source, ways)
    edges: dict[Edge, list[Interval]] = defaultdict(list)
    for target in targets:
        others = target.others(relating.entity.id)
        if len(others) == 1:
            edge = _edge(relating.entity.id, target.claim, others[0])
            edges[edge] += _since(spans[target.claim], (relating.entity.created_at, others[0].created_at))
    return [
        warning
        for edge, wanted in edges.items()
        if (warning := await _date_edge(relating, edge, joined(wanted))) is not None
    ]


def _edge(own: UUID, claim: ReferenceClaim, other: KeyedEntity) -> Edge:
    allowed = other.is_document or claim.type in types_from_documents_to_things()
    reference_type = claim.type if allowed else ReferenceType.REFERENCES
    return (other.id, own, reference_type) if claim.inverted else (own, other.id, reference_type)


def _since(spans: Iterable[Interval], starts: tuple[datetime, datetime]) -> list[Interval]:
    return [part for span in spans for part in after(span, max(starts))]


async def _date_edge(relating: Relating, edge: Edge, wanted: list[Interval]) -> str | None:
    write, own = relating.write, relating.entity.id
    held = await chronicle.spans_of_edge(write.connection, write.tenant, edge)
    if not held and await _closes_a_circle(write, edge, wanted):
        return "left out a supersession that would close a circle: one must stay current"
    firm = [span for span in held if _is_firm(relating, edge, span)]
    mine = [part for span in wanted for part in without(span, [each.valid for each in firm])]
    for span in held:
        if span.stated_by == own and span.valid in mine:
            mine.remove(span.valid)
        elif span not in firm:
            await _give_way(relating, edge, span, wanted)
    for valid in mine:
        await _insert(relating, edge, valid, relating.version.id)
    return None


def _is_firm(relating: Relating, edge: Edge, span: Span) -> bool:
    """Tell whether a span stays: what another document states, unless the superseded one says it itself."""
    is_own_word = edge[2] is ReferenceType.SUPERSEDES and edge[1] == relating.entity.id
    return not is_own_word and span.stated_by not in {relating.entity.id, *relating.untold}


async def _closes_a_circle(write: Write, edge: Edge, wanted: list[Interval]) -> bool:
    if edge[2] is not ReferenceType.SUPERSEDES or not wanted:
        return False
    return await references.supersession_leads(
        write.connection, write.tenant, edge[1], edge[0], wanted[0].start
    )


async def _give_way(relating: Relating, edge: Edge, span: Span, wanted: list[Interval]) -> None:
    """Stop believing a span; what another document states beside the wanted ones stays believed."""
    write = relating.write
    rest = [] if span.stated_by == relating.entity.id else without(span.valid, wanted)
    if rest == [span.valid]:
        return
    await chronicle.retract_span(write.connection, write.tenant, span.id, write.recorded_at)
    for valid in rest:
        await _insert(relating, edge, valid, span.source_artifact, span.occurrences)


async def _insert(
    relating: Relating, edge: Edge, valid: Interval, stated_by: UUID | None, occurrences: int = 1
) -> None:
    write = relating.write
    reference = Reference(uuid4(), *edge, stated_by, valid)
    await references.insert_reference(
        write.connection,
        write.tenant,
        relating.project.number,
        reference,
        occurrences,
        write.recorded_at,
        write.actor,
    )
