"""Recording the history of one document in a transaction: its states, events and dated references."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import zip_longest
from typing import Any
from uuid import UUID, uuid4

from app.domain.artifact import ReferenceClaim
from app.domain.entity import Edge, Entity, Project, Reference, ReferenceType
from app.domain.properties_change import with_changes
from app.domain.status_resolution import StatusSource, without_supersession
from app.domain.temporal import Branch, Interval, StateEvent, merge_intervals, part_after, subtract_intervals
from app.domain.types import types_from_documents_to_things
from app.errors import Invalid
from app.services.filing.batch_writer import prefetch
from app.services.importing.history.merge import (
    HistoryChanges,
    HistoryWriter,
    MergedHistory,
    StateLine,
    Step,
    merge_history,
)
from app.services.importing.history.model import ClaimSpans, DocumentHistory, StatedClaims, claim_spans
from app.services.parsing.target_readings import TargetReading, target_readings
from app.services.references.pending import record_pending
from app.services.references.status_sources import (
    CREATED,
    RENAME,
    REVISION,
    STATUS_TRANSITION,
    is_by_caller,
    is_by_commit,
    is_derived,
    load_status_history,
    with_history_source,
)
from app.services.references.supersession import (
    HistoryRule,
    recompute_status,
    recompute_superseded,
    superseded_spans,
)
from app.services.references.target_resolution import Claimant, Target, find_targets
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import (
    absences,
    entities,
    ledger_clock,
    references,
    state_history,
    states,
    type_definitions,
)
from app.stores.postgres.document_names import StatedClaim
from app.stores.postgres.entities import KeyedEntity
from app.stores.postgres.state_history import AssertedInterval, AssertedProperties, StateCommit, Version
from app.stores.postgres.supersessions import successions_around


@dataclass(frozen=True, slots=True)
class Relating:
    """A document whose references are dated from its history.

    `unrecorded` are the entities whose histories are not recorded yet. What their documents stated so far is
    cut, because their history will date it.
    """

    write: UnitOfWork
    project: Project
    entity: Entity
    version: Version
    unrecorded: Collection[UUID]


async def relate(relating: Relating, stated: Sequence[StatedClaims], begins: datetime) -> list[str]:
    """Date the references that a history states; return warnings of those that were left out."""
    edges = await _edges(relating, claim_spans(stated, begins), stated)
    typed: dict[frozenset[UUID], list[Interval]] = defaultdict(list)
    for edge, held in edges.items():
        if edge[2] is not ReferenceType.REFERENCES:
            typed[frozenset(edge[:2])] += held.spans
    return [
        warning
        for edge, held in edges.items()
        if (warning := await _date_edge(relating, edge, _beside(edge, held, typed), held.count)) is not None
    ]


@dataclass(slots=True)
class StatedEdge:
    """When a document states an edge, and how often it names the other end, lastly."""

    spans: list[Interval] = field(default_factory=list)
    count: int = 0

    def add(self, spans: Sequence[Interval], count: int) -> None:
        """Add the spans of a claim."""
        if not self.count or (spans and spans[-1].end is None):
            self.count = count
        self.spans += spans


async def _edges(
    relating: Relating, spans: ClaimSpans, stated: Sequence[StatedClaims]
) -> dict[Edge, StatedEdge]:
    """Return the edges of the claims that mean exactly one entity, and when the document states each."""
    key, found = relating.entity.key or "", defaultdict[Edge, StatedEdge](StatedEdge)
    for source in dict.fromkeys(source for _, source in spans):
        source_uri = source or relating.version.source_uri
        ways = {claim: target_readings(claim, key, source_uri) for claim, of in spans if of == source}
        since = {claim: min(span.start for span in spans[claim, source]) for claim in ways}
        claimant = Claimant(key, source_uri)
        targets = await find_targets(relating.write, relating.project, claimant, ways, since)
        for target in targets:
            others = target.others(relating.entity.id)
            if len(others) == 1:
                edge = _edge(relating.entity.id, target.claim, others[0])
                found[edge].add(spans[target.claim, source], target.claim.count)
        texts = [
            Interval(each.at, following.at if following else None)
            for each, following in zip_longest(stated, stated[1:])
        ]
        own = [
            (text, each.claims) for text, each in zip(texts, stated, strict=True) if each.source_uri == source
        ]
        await _add_by_former_names(relating, found, [(each, ways[each.claim]) for each in targets], own)
    there = await _there(relating.write, {end for edge in found for end in edge[:2]})
    for edge, dated in found.items():
        dated.spans = [part for span in dated.spans for part in _within(span, there[edge[0]], there[edge[1]])]
    return found


async def _add_by_former_names(
    relating: Relating,
    found: dict[Edge, StatedEdge],
    targets: Sequence[tuple[Target, Sequence[TargetReading]]],
    texts: Sequence[tuple[Interval, Collection[ReferenceClaim]]],
) -> None:
    """Add the edges of claims that meant an entity by a name when they were written.

    An entity that has the name at another time only gets an edge that holds at no time, which ends what
    was joined before its history was known.
    """
    write, own = relating.write, relating.entity.id
    names = {way.name for _, ways in targets for way in ways}
    where = (await write.flush(), write.tenant, relating.project.number)
    named = await entities.entities_by_name_in_time(*where, names)
    typed = {each.key for each, _ in targets if each.claim.type is not ReferenceType.REFERENCES}
    for target, ways in targets:
        held = [each for way in ways for each in named.get(way.name, ()) if each[0].id != own]
        now = {entity.id for entity in target.found}
        if not held or not now <= {entity.id for entity, _ in held}:
            continue
        for entity, _ in held:
            if entity.id not in now:
                found[_edge(own, target.claim, entity)].add([], target.claim.count)
        for text in (text for text, claims in texts if target.claim in claims):
            meant = list(_named_during(held, text))
            for entity, begins in meant:
                edge = _edge(own, target.claim, entity)
                found[edge].add([Interval(begins, text.end)], target.claim.count)
            is_beside = target.claim.type is ReferenceType.REFERENCES and target.key in typed
            if text.end is None and not now and not is_beside:
                await _settle_pending(relating, target, text, is_joined=bool(meant))


async def _settle_pending(relating: Relating, target: Target, text: Interval, *, is_joined: bool) -> None:
    """Let a claim of the present text wait for its target, or no longer, if a former name joined it."""
    write, project, own = relating.write, relating.project, relating.entity
    if not is_joined:
        version, key = relating.version, own.key or ""
        stated = StatedClaim(target.claim, own.id, key, version.source_uri, version.id, text.start)
        write = replace(write, lookup_cache=await prefetch(write, project, ()))
        await record_pending(write, project, stated, target)
        return
    rows = await references.pending_on(await write.flush(), write.tenant, project.number, [target.key])
    claim = target.claim
    relation = (own.id, claim.type, claim.inverted, claim.in_part)
    waiting = [row.id for _, row in rows if row.relation == relation]
    await references.close_pending(write.rows, write.tenant, waiting, write.recorded_at)


def _named_during(
    held: Sequence[tuple[KeyedEntity, Interval]], text: Interval
) -> Iterator[tuple[KeyedEntity, datetime]]:
    """Yield the one entity that has a name when a text begins, else the first that gets it meanwhile."""
    there = {entity.id: entity for entity, valid in held if valid.covers(text.start)}
    if there:
        if len(there) == 1:
            yield from ((entity, text.start) for entity in there.values())
        return
    later = [(each, valid.start) for each, valid in held if text.covers(valid.start)]
    yield from later[:1]


@dataclass(frozen=True, slots=True)
class Lifetime:
    """Since when an entity is there, and when it was not."""

    since: datetime
    gaps: list[Interval]


async def _there(write: UnitOfWork, ids: Collection[UUID]) -> dict[UUID, Lifetime]:
    """Return when each entity is there."""
    where = (await write.flush(), write.tenant, list(ids))
    found = await entities.entities_by_id(*where)
    absent = await absences.absences_of(*where)
    return {
        id: Lifetime(each.created_at, [gap.valid for gap in absent.get(id, ()) if gap.artifact is None])
        for id, each in found.items()
    }


def _within(span: Interval, *ends: Lifetime) -> list[Interval]:
    """Return the parts of a span in which both ends of a reference are there."""
    after = part_after(span, max(each.since for each in ends))
    return [part for each in after for part in subtract_intervals(each, ends[0].gaps + ends[1].gaps)]


def _beside(
    edge: Edge, stated: StatedEdge, typed: Mapping[frozenset[UUID], Sequence[Interval]]
) -> list[Interval]:
    """Return when an edge holds: a generic one gives way to a typed one between the same two."""
    spans = merge_intervals(stated.spans)
    if edge[2] is not ReferenceType.REFERENCES:
        return spans
    taken = typed.get(frozenset(edge[:2]), ())
    return [part for span in spans for part in subtract_intervals(span, taken)]


def _edge(own: UUID, claim: ReferenceClaim, other: KeyedEntity) -> Edge:
    allowed = other.is_document or claim.type in types_from_documents_to_things()
    reference_type = claim.type if allowed else ReferenceType.REFERENCES
    source, target = (other.id, own) if claim.inverted else (own, other.id)
    return source, target, reference_type, claim.in_part and allowed


async def _date_edge(relating: Relating, edge: Edge, wanted: list[Interval], count: int) -> str | None:
    write, own = relating.write, relating.entity.id
    held = await state_history.spans_of_edge(await write.flush(), write.tenant, edge)
    if not held and await _closes_circle(write, edge, wanted):
        return "left out a supersession that would make a cycle: one document must stay current"
    kept = [span for span in held if _is_kept(relating, edge, span)]
    own_spans = [part for span in wanted for part in subtract_intervals(span, [each.valid for each in kept])]
    for span in held:
        if span.stated_by == own and span.valid in own_spans:
            own_spans.remove(span.valid)
        elif span not in kept:
            await _cut_span(relating, edge, span, wanted)
    for valid in own_spans:
        await _insert(relating, edge, valid, relating.version.id, count)
    return None


def _is_kept(relating: Relating, edge: Edge, span: AssertedInterval) -> bool:
    """Return whether a span stays, because another document states it.

    A supersession that the superseded document states does not stay.
    """
    is_own_word = edge[2] is ReferenceType.SUPERSEDES and edge[1] == relating.entity.id
    return not is_own_word and span.stated_by not in {relating.entity.id, *relating.unrecorded}


async def _closes_circle(write: UnitOfWork, edge: Edge, wanted: list[Interval]) -> bool:
    if edge[2] is not ReferenceType.SUPERSEDES or not wanted:
        return False
    return await references.supersession_leads(
        await write.flush(), write.tenant, edge[1], edge[0], wanted[0].start
    )


async def _cut_span(relating: Relating, edge: Edge, span: AssertedInterval, wanted: list[Interval]) -> None:
    """Retract a span; keep the parts of another document's span outside the wanted intervals."""
    write = relating.write
    rest = [] if span.stated_by == relating.entity.id else subtract_intervals(span.valid, wanted)
    if rest == [span.valid]:
        return
    await state_history.retract_span(await write.flush(), write.tenant, span.id, write.recorded_at)
    for valid in rest:
        await _insert(relating, edge, valid, span.source_artifact, span.occurrences)


async def _insert(
    relating: Relating, edge: Edge, valid: Interval, stated_by: UUID | None, occurrences: int
) -> None:
    write = relating.write
    source, target, reference_type, in_part = edge
    reference = Reference(uuid4(), source, target, reference_type, stated_by, valid, in_part)
    await references.insert_reference(
        await write.flush(),
        write.tenant,
        relating.project.number,
        reference,
        occurrences,
        write.recorded_at,
        write.actor,
    )


@dataclass(frozen=True, slots=True)
class HistoryImport:
    """The outcome of importing a history: the number of recorded and of unchanged states, and warnings."""

    recorded: int
    unchanged: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedHistories:
    """The histories of an import by entity, and the entities with states that are not recorded yet."""

    by_entity: Mapping[UUID, DocumentHistory]
    unrecorded: set[UUID]

    def history_rules(self) -> dict[UUID, HistoryRule]:
        """Return the history rules of the entities whose histories are recorded."""
        return {
            entity: history_rule_of(each)
            for entity, each in self.by_entity.items()
            if entity not in self.unrecorded
        }


def history_rule_of(history: DocumentHistory) -> HistoryRule:
    """Return the rule that adjusts the status history of an entity to its imported history."""
    source = StatusSource.ROW if history.is_fact else StatusSource.EDITION
    return lambda line, statuses: with_history_source(
        statuses, source, line[0].valid.start, history.states[0].at
    )


def is_recorded(history: DocumentHistory, believed: Sequence[StateCommit]) -> bool:
    """Return whether the believed states of a document are those of its history."""
    recorded = {each.commit for each in believed if not each.by_filing}
    return all(state.commit in recorded for state in history.states) and not _strays(history, believed)


def _strays(history: DocumentHistory, believed: Sequence[StateCommit]) -> frozenset[datetime]:
    """Return when states begin that a history does not have.

    They come from a text that changed no property, or from a commit that a rewritten history lost.
    """
    moments, texts = {each.at for each in history.states}, {each.commit for each in history.texts}
    return frozenset(
        each.at
        for each in believed
        if each.at > history.states[0].at
        and each.at not in moments
        and (each.commit in texts or history.is_lost(each.commit))
    )


async def record_history(
    write: UnitOfWork, project: Project, entity: Entity, imported: ImportedHistories
) -> HistoryImport:
    """Record the states of a history for its entity; states that are recorded already stay as they are."""
    history = imported.by_entity[entity.id]
    believed = await state_history.commits_of_states(await write.flush(), write.tenant, entity.id)
    if is_recorded(history, believed):
        return HistoryImport(0, len(history.states))
    every = await state_history.versions_of(await write.flush(), write.tenant, entity.id)
    versions = [each for each in every if not history.is_lost(each.source_commit)] or every
    if not versions:
        raise Invalid(
            f"{entity.type_name} {history.identifier} is not a document; use mutations to record its past"
        )
    was = superseded_spans(entity.id, await successions_around(await write.flush(), write.tenant, entity.id))
    statements = await state_history.statements_about(await write.flush(), write.tenant, entity.id)
    line = await _load_line(write, entity, statements)
    properties = await _covered_properties(write, project, entity, history)
    is_continued = history.is_cut and any(not each.by_filing for each in believed)
    before = await _props_before(write, entity, history, line) if is_continued else None
    writer = HistoryWriter(entity.id, write.recorded_at, write.actor, lambda at: _version_at(versions, at).id)
    changes = HistoryChanges(history.states, properties, before, _strays(history, believed))
    merged = merge_history(writer, line, changes)
    noted = {(each.at, each.cause_commit, each.event_type) for each in statements if is_by_commit(each)}
    steps = [
        step
        for step in merged.steps
        if (step.state.valid.start, step.change.commit, event_type(step)) not in noted
    ]
    await _write_merged(write, entity, merged, steps)
    begins = min(line.held[0].valid.start, history.states[0].at)
    relating = Relating(write, project, entity, versions[-1], imported.unrecorded - {entity.id})
    warnings = await relate(relating, history.claims, begins)
    await recompute_status(write, entity.id, begins, history_rule=history_rule_of(history))
    await recompute_superseded(write, entity.id, was, imported.history_rules())
    await ledger_clock.finish_write(await write.flush())
    return HistoryImport(len(steps), len(history.states) - len(steps), tuple(warnings))


async def _load_line(
    write: UnitOfWork, entity: Entity, statements: Sequence[AssertedProperties]
) -> StateLine:
    """Return the current states of an entity, and what callers asserted about it."""
    held = await states.current_states(await write.flush(), write.tenant, entity.id, Branch.COMMITTED)
    asserted: dict[datetime, dict[str, Any]] = {}
    stated: dict[datetime, frozenset[str]] = defaultdict(frozenset)
    for each in statements:
        if not is_derived(each):
            stated[each.at] |= frozenset(each.properties)
        if is_by_caller(each):
            asserted.setdefault(each.at, {}).update({name: each.props.get(name) for name in each.properties})
    return StateLine(
        held,
        without_supersession(held, (await load_status_history(write, entity.id, held)).assertions),
        asserted,
        stated,
    )


async def _props_before(
    write: UnitOfWork, entity: Entity, history: DocumentHistory, line: StateLine
) -> Mapping[str, Any] | None:
    """Return the last properties of an entity before its cut history; None where the entity began later."""
    cut = history.states[0].at
    state = next((each for each in reversed(line.without_supersession) if each.valid.start < cut), None)
    if state is None:
        return None
    statuses = await load_status_history(write, entity.id, line.held)
    texts = [
        each.status
        for each in statuses.assertions
        if each.at < cut and each.source is not StatusSource.CALLER
    ]
    return with_changes(state.props, {"status": texts[-1] if texts else None})


def _version_at(versions: Sequence[Version], at: datetime) -> Version:
    """Return the version in effect at a moment; before the first one, the first."""
    return next((each for each in reversed(versions) if each.created_at <= at), versions[0])


async def _covered_properties(
    write: UnitOfWork, project: Project, entity: Entity, history: DocumentHistory
) -> frozenset[str]:
    """Return the properties of a history that the type lets change; widen a type of the project's own."""
    properties = {name for state in history.states for name in state.props}
    known = await type_definitions.types_in_projects(await write.flush(), write.tenant, [project.number])
    recorded = type_definitions.type_named(known, entity.type_name)
    assert recorded is not None  # every entity has a type
    unknown = recorded.definition.unknown_props(dict.fromkeys(properties))
    if unknown and recorded.is_own:
        await type_definitions.widen_type(await write.flush(), write.tenant, recorded.number, unknown)
        unknown = []
    return frozenset(properties - {*unknown, *recorded.definition.immutable_props})


async def _write_merged(
    write: UnitOfWork, entity: Entity, merged: MergedHistory, steps: Sequence[Step]
) -> None:
    for state in merged.retracted:
        await states.retract_state(await write.flush(), write.tenant, state, write.recorded_at)
    for recorded in merged.recorded:
        await states.insert_state(await write.flush(), write.tenant, recorded)
    for step in steps:
        event = StateEvent(
            id=uuid4(),
            from_state=None if step.before is None else step.before.id,
            to_state=step.state.id,
            event_type=event_type(step),
            at=step.state.valid.start,
            recorded_at=write.recorded_at,
            cause_artifact=None,
            cause_commit=step.change.commit,
            description=None,
            props_drift=None,
            actor=write.actor,
            properties=tuple(sorted(step.names if step.before else {*step.names, *step.state.props})),
        )
        await states.insert_event(await write.flush(), write.tenant, entity.id, event)


def event_type(step: Step) -> str:
    """Return the event type of a step: by the first of status, title and other properties that changed."""
    if step.before is None:
        return CREATED
    if "status" in step.names:
        return STATUS_TRANSITION
    return RENAME if "title" in step.names else REVISION
