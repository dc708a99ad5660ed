"""The transaction that tells the history of one document: all of it, or nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from app.domain.artifact import ReferenceClaim
from app.domain.entity import Entity, Project, Reference, ReferenceType
from app.domain.properties_change import amended
from app.domain.status_resolution import StatusSource, without_supersession
from app.domain.temporal import Branch, Interval, StateEvent, after, joined, without
from app.domain.types import types_from_documents_to_things
from app.errors import Invalid
from app.services.importing.history.merge import (
    HistoryChanges,
    HistoryWriter,
    Retold,
    StateLine,
    Step,
    merge_history,
)
from app.services.importing.history.model import DocumentHistory, HistoricState, claim_spans
from app.services.lookup_cache import Edge
from app.services.parsing.target_readings import ways_of
from app.services.references.status_sources import (
    CREATED,
    RENAME,
    REVISION,
    STATUS_TRANSITION,
    heard_by,
    is_by_caller,
    is_by_commit,
    load_status_history,
)
from app.services.references.supersession import Hearing, gives_way, recompute_status, recompute_superseded
from app.services.references.target_resolution import find_targets
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import ledger_clock, references, state_history, states, type_definitions
from app.stores.postgres.entities import KeyedEntity
from app.stores.postgres.state_history import AssertedInterval, AssertedProperties, Version
from app.stores.postgres.supersessions import successions_around


@dataclass(frozen=True, slots=True)
class Relating:
    """A document whose references are dated; `untold` are entities of whose history more is still to come.

    What their documents stated so far gives way, since their history will say from when on they did.
    """

    write: UnitOfWork
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
    held = await state_history.spans_of_edge(write.connection, write.tenant, edge)
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


def _is_firm(relating: Relating, edge: Edge, span: AssertedInterval) -> bool:
    """Return whether a span stays: what another document states, unless the superseded one says it itself."""
    is_own_word = edge[2] is ReferenceType.SUPERSEDES and edge[1] == relating.entity.id
    return not is_own_word and span.stated_by not in {relating.entity.id, *relating.untold}


async def _closes_a_circle(write: UnitOfWork, edge: Edge, wanted: list[Interval]) -> bool:
    if edge[2] is not ReferenceType.SUPERSEDES or not wanted:
        return False
    return await references.supersession_leads(
        write.connection, write.tenant, edge[1], edge[0], wanted[0].start
    )


async def _give_way(relating: Relating, edge: Edge, span: AssertedInterval, wanted: list[Interval]) -> None:
    """Stop believing a span; what another document states beside the wanted ones stays believed."""
    write = relating.write
    rest = [] if span.stated_by == relating.entity.id else without(span.valid, wanted)
    if rest == [span.valid]:
        return
    await state_history.retract_span(write.connection, write.tenant, span.id, write.recorded_at)
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


@dataclass(frozen=True, slots=True)
class HistoryImport:
    """What telling a history did: how many states it recorded, how many were there, and what was odd."""

    recorded: int
    unchanged: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Brought:
    """The histories that an import brings, by their entities; some have states that are still to be told."""

    told: Mapping[UUID, DocumentHistory]
    untold: set[UUID]

    def hearings(self) -> dict[UUID, Hearing]:
        """Return how to hear of the entities whose histories are told."""
        return {entity: hearing_of(each) for entity, each in self.told.items() if entity not in self.untold}


def hearing_of(told: DocumentHistory) -> Hearing:
    """Return how to hear what a history says of the status of its entity."""
    voice = StatusSource.ROW if told.is_fact else StatusSource.EDITION
    return lambda line, heard: heard_by(heard, voice, line[0].valid.start, told.states[0].at)


def untold_states(told: DocumentHistory, commits: frozenset[str]) -> tuple[HistoricState, ...]:
    """Return the states whose commits the ledger does not know."""
    return tuple(state for state in told.states if state.commit not in commits)


async def tell(write: UnitOfWork, project: Project, entity: Entity, brought: Brought) -> HistoryImport:
    """Let an entity have been what its history says; states that are there already stay as they are."""
    told = brought.told[entity.id]
    commits = await state_history.commits_told(write.connection, write.tenant, entity.id)
    if not untold_states(told, commits):
        return HistoryImport(0, len(told.states))
    versions = await state_history.versions_of(write.connection, write.tenant, entity.id)
    if not versions:
        raise Invalid(f"{entity.type_name} {told.identifier} is no document; use the verbs to tell its past")
    was = gives_way(entity.id, await successions_around(write.connection, write.tenant, entity.id))
    statements = await state_history.statements_about(write.connection, write.tenant, entity.id)
    line = await _line(write, entity, statements)
    spoken = await _spoken(write, project, entity, told)
    since = await _said_before(write, entity, told, line) if told.is_cut and commits else None
    teller = HistoryWriter(entity.id, write.recorded_at, write.actor, lambda at: _version_at(versions, at).id)
    retold = merge_history(teller, line, HistoryChanges(told.states, spoken, since))
    noted = {(each.at, each.cause_commit, each.event_type) for each in statements if is_by_commit(each)}
    steps = [
        step
        for step in retold.steps
        if (step.state.valid.start, step.told.commit, event_type(step)) not in noted
    ]
    await _record(write, entity, retold, steps)
    begins = min(line.held[0].valid.start, told.states[0].at)
    relating = Relating(write, project, entity, versions[-1], brought.untold - {entity.id})
    warnings = await relate(relating, claim_spans(told.states, begins))
    await recompute_status(write, entity.id, begins, hearing=hearing_of(told))
    await recompute_superseded(write, entity.id, was, brought.hearings())
    await ledger_clock.settle(write.connection)
    return HistoryImport(len(steps), len(told.states) - len(steps), tuple(warnings))


async def _line(write: UnitOfWork, entity: Entity, statements: Sequence[AssertedProperties]) -> StateLine:
    """Return what is believed of an entity, and what callers said of it."""
    held = await states.current_states(write.connection, write.tenant, entity.id, Branch.COMMITTED)
    said: dict[datetime, dict[str, Any]] = {}
    for each in statements:
        if is_by_caller(each):
            said.setdefault(each.at, {}).update({name: each.props.get(name) for name in each.properties})
    return StateLine(
        held, without_supersession(held, (await load_status_history(write, entity.id, held)).sayings), said
    )


async def _said_before(
    write: UnitOfWork, entity: Entity, told: DocumentHistory, line: StateLine
) -> Mapping[str, Any] | None:
    """Return what the texts of an entity said by where its history is cut; None where it began later."""
    cut = told.states[0].at
    state = next((each for each in reversed(line.bare) if each.valid.start < cut), None)
    if state is None:
        return None
    heard = await load_status_history(write, entity.id, line.held)
    texts = [each.status for each in heard.sayings if each.at < cut and each.voice is not StatusSource.CALLER]
    return amended(state.props, {"status": texts[-1] if texts else None})


def _version_at(versions: Sequence[Version], at: datetime) -> Version:
    """Return the version in effect at a moment; before the first one, the first."""
    return next((each for each in reversed(versions) if each.created_at <= at), versions[0])


async def _spoken(
    write: UnitOfWork, project: Project, entity: Entity, told: DocumentHistory
) -> frozenset[str]:
    """Return the properties a history speaks of that the type lets change; an own type is widened by them."""
    spoken = {name for state in told.states for name in state.props}
    known = await type_definitions.types_in_projects(write.connection, write.tenant, [project.number])
    recorded = type_definitions.type_named(known, entity.type_name)
    assert recorded is not None  # every entity has a type
    unknown = recorded.definition.unknown_props(dict.fromkeys(spoken))
    if unknown and recorded.is_own:
        await type_definitions.widen_type(write.connection, write.tenant, recorded.number, unknown)
        unknown = []
    return frozenset(spoken - {*unknown, *recorded.definition.immutable_props})


async def _record(write: UnitOfWork, entity: Entity, retold: Retold, steps: Sequence[Step]) -> None:
    for state in retold.retracted:
        await states.retract_state(write.connection, write.tenant, state, write.recorded_at)
    for recorded in retold.recorded:
        await states.insert_state(write.connection, write.tenant, recorded)
    for step in steps:
        event = StateEvent(
            id=uuid4(),
            from_state=None if step.before is None else step.before.id,
            to_state=step.state.id,
            event_type=event_type(step),
            at=step.state.valid.start,
            recorded_at=write.recorded_at,
            cause_artifact=None,
            cause_commit=step.told.commit,
            description=None,
            props_drift=None,
            actor=write.actor,
            properties=tuple(sorted(step.names if step.before else {*step.names, *step.state.props})),
        )
        await states.insert_event(write.connection, write.tenant, entity.id, event)


def event_type(step: Step) -> str:
    """Return what a step is called: by what changed first of status, title and anything else."""
    if step.before is None:
        return CREATED
    if "status" in step.names:
        return STATUS_TRANSITION
    return RENAME if "title" in step.names else REVISION
