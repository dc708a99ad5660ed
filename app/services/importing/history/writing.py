"""The transaction that tells the history of one document: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from app.domain.entity import Entity, Project
from app.domain.surface_form import fold
from app.domain.temporal import Branch, StateEvent
from app.domain.timeline import differing
from app.errors import Invalid
from app.services.filing.taking_effect import gives_way, redate
from app.services.importing.history.claim_spans import claim_spans
from app.services.importing.history.relating import Relating, relate
from app.services.importing.history.retelling import Line, News, Retold, Step, Teller, retell
from app.services.importing.history.telling import HistoricState, Told
from app.services.states.changing import CORRECTION, FACT
from app.services.write import Write
from app.stores.postgres import chronicle, ledger, ontology, states
from app.stores.postgres.chronicle import Statement, Version
from app.stores.postgres.successions import successions_around

CREATED, STATUS_TRANSITION, RENAME, REVISION = TOLD = ("created", "status_transition", "rename", "revision")


@dataclass(frozen=True, slots=True)
class Telling:
    """What telling a history did: how many states it recorded, how many were there, and what was odd."""

    recorded: int
    unchanged: int
    warnings: tuple[str, ...] = ()


def untold_states(told: Told, commits: frozenset[str]) -> tuple[HistoricState, ...]:
    """Answer the states after the last one whose commit the ledger knows."""
    known = [place for place, state in enumerate(told.states) if state.commit in commits]
    return told.states[known[-1] + 1 if known else 0 :]


async def tell(
    write: Write, project: Project, entity: Entity, told: Told, untold: Collection[UUID]
) -> Telling:
    """Let an entity have been what its history says; states that are there already stay as they are."""
    commits = await chronicle.commits_told(write.connection, write.tenant, entity.id)
    new = untold_states(told, commits)
    if not new:
        return Telling(0, len(told.states))
    versions = await chronicle.versions_of(write.connection, write.tenant, entity.id)
    if not versions:
        raise Invalid(f"{entity.type_name} {told.identifier} is no document; use the verbs to tell its past")
    held = await states.believed_states(write.connection, write.tenant, entity.id, Branch.COMMITTED)
    spoken = await _spoken(write, project, entity, told)
    teller = Teller(entity.id, write.recorded_at, write.actor, lambda at: _version_at(versions, at).id)
    known = told.states[-len(new) - 1] if len(new) < len(told.states) else None
    line = Line(held, await _said(write, entity))
    was = gives_way(entity.id, await successions_around(write.connection, write.tenant, entity.id))
    await _record(write, entity, retell(teller, line, News(known, new, spoken)))
    relating = Relating(write, project, entity, versions[-1], {*untold} - {entity.id})
    warnings = await relate(relating, claim_spans(told.states, held[0].valid.start))
    await redate(write, entity.id, was)
    await ledger.settle(write.connection)
    return Telling(len(new), len(told.states) - len(new), tuple(warnings))


async def _said(write: Write, entity: Entity) -> dict[datetime, frozenset[str]]:
    """Answer the properties that callers spoke of, by the moment from which on they did."""
    said: dict[datetime, frozenset[str]] = {}
    for each in await chronicle.statements_about(write.connection, write.tenant, entity.id):
        if _is_of_caller(each):
            said[each.at] = said.get(each.at, frozenset()) | set(each.properties)
    return said


def _is_of_caller(statement: Statement) -> bool:
    """Tell whether a caller stated something, and neither a document nor a commit of an earlier telling."""
    if statement.event_type in (FACT, CORRECTION):
        return True
    by_commit = statement.cause_commit is not None and statement.event_type in TOLD
    return not (statement.by_document or by_commit)


def _version_at(versions: Sequence[Version], at: datetime) -> Version:
    """Answer the version in effect at a moment; before the first one, the first."""
    return next((each for each in reversed(versions) if each.created_at <= at), versions[0])


async def _spoken(write: Write, project: Project, entity: Entity, told: Told) -> frozenset[str]:
    """Answer the properties a history speaks of that the type lets change; an own type is widened by them."""
    spoken = {name for state in told.states for name in state.props}
    known = await ontology.types_in_projects(write.connection, write.tenant, [project.number])
    recorded = next(each for each in known if fold(each.definition.name) == fold(entity.type_name))
    unknown = recorded.definition.unknown_props(dict.fromkeys(spoken))
    if unknown and recorded.is_own:
        await ontology.widen_type(write.connection, write.tenant, recorded.number, unknown)
        unknown = []
    return frozenset(spoken - {*unknown, *recorded.definition.immutable_props})


async def _record(write: Write, entity: Entity, retold: Retold) -> None:
    for state in retold.retracted:
        await states.retract_state(write.connection, write.tenant, state, write.recorded_at)
    for recorded in retold.recorded:
        await states.insert_state(write.connection, write.tenant, recorded)
    for step in retold.steps:
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
            properties=_spoken_of(step),
        )
        await states.insert_event(write.connection, write.tenant, entity.id, event)


def _spoken_of(step: Step) -> tuple[str, ...]:
    before = {} if step.before is None else step.before.props
    return tuple(sorted(differing(before, step.state.props)))


def event_type(step: Step) -> str:
    """Answer what a step is called: by what changed first of status, title and anything else."""
    if step.before is None:
        return CREATED
    before, after = step.before.props, step.state.props
    if before.get("status") != after.get("status"):
        return STATUS_TRANSITION
    return RENAME if before.get("title") != after.get("title") else REVISION
