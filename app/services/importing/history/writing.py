"""The transaction that tells the history of one document: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from app.domain.amendment import amended
from app.domain.entity import Entity, Project
from app.domain.giving_way import Voice, bare
from app.domain.temporal import Branch, StateEvent
from app.errors import Invalid
from app.services.filing.supersession import Hearing, settle
from app.services.filing.taking_effect import gives_way, redate
from app.services.filing.voices import (
    CREATED,
    RENAME,
    REVISION,
    STATUS_TRANSITION,
    heard_by,
    heard_of,
    is_by_caller,
    is_by_commit,
)
from app.services.importing.history.claim_spans import claim_spans
from app.services.importing.history.relating import Relating, relate
from app.services.importing.history.retelling import Line, News, Retold, Step, Teller, retell
from app.services.importing.history.telling import HistoricState, Told
from app.services.write import Write
from app.stores.postgres import chronicle, ledger, ontology, states
from app.stores.postgres.chronicle import Statement, Version
from app.stores.postgres.successions import successions_around


@dataclass(frozen=True, slots=True)
class Telling:
    """What telling a history did: how many states it recorded, how many were there, and what was odd."""

    recorded: int
    unchanged: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Brought:
    """The histories that an import brings, by their entities; some have states that are still to be told."""

    told: Mapping[UUID, Told]
    untold: set[UUID]

    def hearings(self) -> dict[UUID, Hearing]:
        """Answer how to hear of the entities whose histories are told."""
        return {entity: hearing_of(each) for entity, each in self.told.items() if entity not in self.untold}


def hearing_of(told: Told) -> Hearing:
    """Answer how to hear what a history says of the status of its entity."""
    voice = Voice.ROW if told.is_fact else Voice.EDITION
    return lambda line, heard: heard_by(heard, voice, line[0].valid.start, told.states[0].at)


def untold_states(told: Told, commits: frozenset[str]) -> tuple[HistoricState, ...]:
    """Answer the states whose commits the ledger does not know."""
    return tuple(state for state in told.states if state.commit not in commits)


async def tell(write: Write, project: Project, entity: Entity, brought: Brought) -> Telling:
    """Let an entity have been what its history says; states that are there already stay as they are."""
    told = brought.told[entity.id]
    commits = await chronicle.commits_told(write.connection, write.tenant, entity.id)
    if not untold_states(told, commits):
        return Telling(0, len(told.states))
    versions = await chronicle.versions_of(write.connection, write.tenant, entity.id)
    if not versions:
        raise Invalid(f"{entity.type_name} {told.identifier} is no document; use the verbs to tell its past")
    was = gives_way(entity.id, await successions_around(write.connection, write.tenant, entity.id))
    statements = await chronicle.statements_about(write.connection, write.tenant, entity.id)
    line = await _line(write, entity, statements)
    spoken = await _spoken(write, project, entity, told)
    since = await _said_before(write, entity, told, line) if told.is_cut and commits else None
    teller = Teller(entity.id, write.recorded_at, write.actor, lambda at: _version_at(versions, at).id)
    retold = retell(teller, line, News(told.states, spoken, since))
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
    await settle(write, entity.id, begins, hearing=hearing_of(told))
    await redate(write, entity.id, was, brought.hearings())
    await ledger.settle(write.connection)
    return Telling(len(steps), len(told.states) - len(steps), tuple(warnings))


async def _line(write: Write, entity: Entity, statements: Sequence[Statement]) -> Line:
    """Answer what is believed of an entity, and what callers said of it."""
    held = await states.believed_states(write.connection, write.tenant, entity.id, Branch.COMMITTED)
    said: dict[datetime, dict[str, Any]] = {}
    for each in statements:
        if is_by_caller(each):
            said.setdefault(each.at, {}).update({name: each.props.get(name) for name in each.properties})
    return Line(held, bare(held, (await heard_of(write, entity.id, held)).sayings), said)


async def _said_before(write: Write, entity: Entity, told: Told, line: Line) -> Mapping[str, Any] | None:
    """Answer what the texts of an entity said by where its history is cut; None where it began later."""
    cut = told.states[0].at
    state = next((each for each in reversed(line.bare) if each.valid.start < cut), None)
    if state is None:
        return None
    heard = await heard_of(write, entity.id, line.held)
    texts = [each.status for each in heard.sayings if each.at < cut and each.voice is not Voice.CALLER]
    return amended(state.props, {"status": texts[-1] if texts else None})


def _version_at(versions: Sequence[Version], at: datetime) -> Version:
    """Answer the version in effect at a moment; before the first one, the first."""
    return next((each for each in reversed(versions) if each.created_at <= at), versions[0])


async def _spoken(write: Write, project: Project, entity: Entity, told: Told) -> frozenset[str]:
    """Answer the properties a history speaks of that the type lets change; an own type is widened by them."""
    spoken = {name for state in told.states for name in state.props}
    known = await ontology.types_in_projects(write.connection, write.tenant, [project.number])
    recorded = ontology.type_named(known, entity.type_name)
    assert recorded is not None  # every entity has a type
    unknown = recorded.definition.unknown_props(dict.fromkeys(spoken))
    if unknown and recorded.is_own:
        await ontology.widen_type(write.connection, write.tenant, recorded.number, unknown)
        unknown = []
    return frozenset(spoken - {*unknown, *recorded.definition.immutable_props})


async def _record(write: Write, entity: Entity, retold: Retold, steps: Sequence[Step]) -> None:
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
    """Answer what a step is called: by what changed first of status, title and anything else."""
    if step.before is None:
        return CREATED
    if "status" in step.names:
        return STATUS_TRANSITION
    return RENAME if "title" in step.names else REVISION
