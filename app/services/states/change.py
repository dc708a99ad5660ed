"""Change properties of the committed state: the one way that mutations, reviews and imports use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from app.domain.bounds import MAX_COMMIT, MAX_DESCRIPTION, excerpts
from app.domain.properties_change import Amendment, amend_from
from app.domain.temporal import Branch, EntityState, Interval, StateEvent, require_in_calendar, rfc_3339
from app.domain.text import name_key
from app.domain.timeline import PropertyChange, differing, state_at
from app.domain.types import TypeDefinition
from app.errors import Conflict, Invalid
from app.services.aliases.mentions import note_earlier_mentions
from app.services.aliases.rules import Naming, forms_of, require_free_names
from app.services.catalog.lookup import require_artifact
from app.services.parsing import clean_text
from app.services.references.beginnings import move_beginnings_around
from app.services.references.edges import Joined
from app.services.references.pending import join_pending_by_name, unlink_by_name
from app.services.references.supersession import propagate_supersession
from app.services.states.properties import check_properties, constants_of, require_still_named, type_of_entity
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import entities, ledger_clock, lookups, states
from app.stores.postgres.mentions import NamedForm


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a state changed; `draft` is the draft that was sealed, which may differ from the sealed state."""

    event_type: str
    artifact: UUID | None = None
    commit: str | None = None
    description: str | None = None
    draft: EntityState | None = None


async def carry_out(write: UnitOfWork, change: PropertyChange, cause: Cause) -> StateEvent:
    """Retract and insert the states of a change; insert its event and return it."""
    for retracted in change.retracted:
        await states.retract_state(await write.flush(), write.tenant, retracted, write.recorded_at)
    for state in change.recorded:
        await states.insert_state(write.rows, write.tenant, state)
    event = StateEvent(
        id=uuid4(),
        from_state=None if change.previous is None else change.previous.id,
        to_state=change.new.id,
        event_type=cause.event_type,
        at=change.new.valid.start,
        recorded_at=write.recorded_at,
        cause_artifact=cause.artifact,
        cause_commit=cause.commit,
        description=cause.description,
        props_drift=None if cause.draft is None else bool(differing(cause.draft.props, change.new.props)),
        actor=write.actor,
        properties=change.properties,
        draft=None if cause.draft is None else cause.draft.id,
    )
    await states.insert_event(write.rows, write.tenant, change.new.entity, event)
    return event


async def require_free_renaming(
    write: UnitOfWork, definition: TypeDefinition, held: Sequence[EntityState], change: PropertyChange
) -> None:
    """Raise Conflict, naming it, if another thing has a name that a change gives, at the same time."""
    new = change.new
    forms = _forms_given(held, new)
    if forms:
        entity = (await entities.entities_by_id(await write.flush(), write.tenant, [new.entity]))[new.entity]
        valid = Interval(new.valid.start, _until(change, forms))
        await require_free_names(
            write, Naming(entity.project, definition, new.props, valid, own=entity.id), forms
        )


def _forms_given(held: Sequence[EntityState], new: EntityState) -> list[str]:
    """Return the names that a thing has in a new state and did not have at that time before."""
    covering = state_at(held, new.valid.start)
    had = {name_key(form) for form in forms_of({} if covering is None else covering.props)}
    return [form for form in forms_of(new.props) if name_key(form) not in had]


def _until(change: PropertyChange, forms: Sequence[str]) -> datetime | None:
    """Return until when a thing has one of its new names after a change."""
    until = change.new.valid.end
    for state in sorted(change.recorded, key=lambda each: each.valid.start):
        if state.valid.start == until and set(forms) & set(forms_of(state.props)):
            until = state.valid.end
    return until


async def meet_earlier_texts(
    write: UnitOfWork, definition: TypeDefinition, held: Sequence[EntityState], new: EntityState
) -> None:
    """Resolve pending references to a thing's new name, and record older texts that use the name.

    References that were resolved by a name that is now corrected become pending again. Texts name a document
    by its identifier, so a new title of a document changes nothing.
    """
    if definition.is_document:
        return
    had = {name_key(form): form for state in held for form in forms_of(state.props)}
    forms = _forms_given(held, new)
    lost = await _lost_forms(write, new, had)
    if not forms and not lost:
        return
    where = (await write.flush(), write.tenant)
    entity = (await entities.entities_by_id(*where, [new.entity]))[new.entity]
    project = (await lookups.projects_by_number(*where, [entity.project]))[entity.project]
    if lost:
        await unlink_by_name(write, entity, lost)
    if forms:
        await join_pending_by_name(write, project, entity, forms, Joined())
    for form in forms:
        await note_earlier_mentions(write, project.number, NamedForm(entity.id, form, name_key(form)))


async def _lost_forms(write: UnitOfWork, new: EntityState, had: Mapping[str, str]) -> list[str]:
    """Return the names that a thing was believed to have, and now is believed never to have had."""
    if had.keys() <= {name_key(form) for form in forms_of(new.props)}:
        return []
    current = await states.current_states(await write.flush(), write.tenant, new.entity, Branch.COMMITTED)
    kept = {name_key(form) for state in current for form in forms_of(state.props)}
    return [form for key, form in had.items() if key not in kept]


FACT, CORRECTION = "fact", "correction"


@dataclass(frozen=True, slots=True)
class StateChange:
    """Properties to set from a moment on, by default from now on; None removes a property.

    `expected` is the id of the state that the caller expects to hold at that moment.
    """

    props: dict[str, Any]
    valid_from: datetime | None = None
    expected: UUID | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """The state that a change opened, and the event that leads to it."""

    state: EntityState
    event: StateEvent


async def change_state(write: UnitOfWork, entity: UUID, change: StateChange, cause: Cause) -> Written:
    """Set properties of an entity from a moment on, until a later state that something is said of.

    A fact about the very start of a state is a correction of it. May be called many times in one write.
    Raises NotFound for an unknown entity, Conflict if another state holds than the expected one or another
    thing has the name, and Invalid for a moment before the entity begins, for a thing that would have no name
    left, or, naming the property, for one that the type lacks or that never changes, even if no other
    property changes.
    """
    definition = await type_of_entity(await write.flush(), write.tenant, entity)
    held = await states.current_states(await write.flush(), write.tenant, entity, Branch.COMMITTED)
    props = check_properties(definition, change.props, held)
    if change.props and not props:
        raise Invalid(
            f"{excerpts(list(change.props))} of {definition.name} cannot change and already"
            " has this value; give a mutable property",
            field="props",
        )
    write = await at_later_time(write, held)
    start = write.recorded_at
    if change.valid_from is not None:
        start = require_in_calendar(change.valid_from, "validFrom")
    _require_expected(change.expected, holding_at(held, start, "validFrom"))
    asserted = await states.asserted_properties(await write.flush(), write.tenant, entity, Branch.COMMITTED)
    amendment = Amendment(entity, props, constants_of(definition, held), write.actor)
    amending = amend_from(held, asserted, amendment, start, write.recorded_at)
    require_still_named(definition, props, amending.recorded)
    replaces = amending.previous is not None and amending.previous.valid.start == start
    if replaces and cause.event_type == FACT:
        cause = replace(cause, event_type=CORRECTION)
    await require_free_renaming(write, definition, held, amending)
    written = Written(amending.new, await carry_out(write, amending, cause))
    await meet_earlier_texts(write, definition, held, written.state)
    if "status" in props:
        await propagate_supersession(write, entity, held)
        await move_beginnings_around(write, entity)
    return written


async def at_later_time(write: UnitOfWork, held: list[EntityState]) -> UnitOfWork:
    """Return the write at a transaction time at which all of these states can be retracted.

    A state that this write itself recorded can only be retracted at a later time.
    """
    clock = await ledger_clock.read_clock(await write.flush(), write.tenant)
    if any(state.recorded_at >= clock for state in held):
        clock = await ledger_clock.advance_clock(await write.flush(), write.tenant)
    return replace(write, recorded_at=clock)


def holding_at(held: list[EntityState], moment: datetime, field: str) -> EntityState:
    """Return the state that holds at a moment; raise Invalid, naming the beginning, if none does yet."""
    holding = state_at(held, moment)
    if holding is None:
        begins = rfc_3339(held[0].valid.start)
        raise Invalid(f"the entity begins on {begins}; give no earlier instant", field=field)
    return holding


def _require_expected(expected: UUID | None, holding: EntityState) -> None:
    if expected is not None and expected != holding.id:
        raise Conflict(
            f"the state at that instant is {holding.id}, not {expected}; read it again and retry",
            field="expectedState",
            current=holding.id,
        )


MAX_EVENT_TYPE_LENGTH = 64
SAVED, SEALED, DISCARDED = "wip_saved", "wip_sealed", "wip_discarded"
OWN_EVENT_TYPES = frozenset({"created", SAVED, SEALED, DISCARDED})
"""Event types that operations of their own write: an entity or a draft begins or ends."""

_WORD = re.compile(r"\w[\w.-]*")


@dataclass(frozen=True, slots=True)
class StatedCause:
    """A cause as stated, not checked yet."""

    event_type: str
    artifact: UUID | None = None
    commit: str | None = None
    description: str | None = None


async def check_cause(write: UnitOfWork, stated: StatedCause) -> Cause:
    """Check a stated cause and return it cleaned.

    Raises Invalid, naming the field, for a text that is too long or an unfit event type, and NotFound for an
    unknown artifact.
    """
    event_type = fit_event_type(stated.event_type, OWN_EVENT_TYPES)
    if stated.artifact is not None:
        await require_artifact(write, stated.artifact, "causeArtifact")
    return Cause(
        event_type=event_type,
        artifact=stated.artifact,
        commit=fit_text(stated.commit, "causeCommit", MAX_COMMIT),
        description=fit_text(stated.description, "description", MAX_DESCRIPTION),
    )


def fit_event_type(given: str, taken: frozenset[str]) -> str:
    """Return a cleaned event type; raise Invalid for one that is not one word, or is taken."""
    event_type = fit_text(given, "eventType", MAX_EVENT_TYPE_LENGTH)
    if event_type is None or not _WORD.fullmatch(event_type):
        raise Invalid("eventType is missing; give one word, such as status_transition", field="eventType")
    if event_type in taken:
        raise Invalid(f"{event_type} is the event of another mutation; use another word", field="eventType")
    return event_type


def fit_text(text: str | None, field: str, longest: int) -> str | None:
    """Return a cleaned text, None for a blank one; raise Invalid if it is too long."""
    kept = None if text is None else clean_text(text).strip() or None
    if kept is not None and len(kept) > longest:
        raise Invalid(f"{field} has {len(kept)} characters; at most {longest} are allowed", field=field)
    return kept
