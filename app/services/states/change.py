"""Changing what is in force: the one way by which a verb, a review or an import changes some properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from app.domain.bounds import excerpts
from app.domain.properties_change import Amendment, amend_from
from app.domain.temporal import Branch, EntityState, Interval, StateEvent, require_in_calendar, rfc_3339
from app.domain.text import name_key
from app.domain.timeline import PropertyChange, state_at
from app.domain.types import TypeDefinition
from app.errors import Conflict, Invalid
from app.services.aliases.mentions import note_earlier_mentions
from app.services.aliases.rules import Naming, forms_of, require_free_names
from app.services.references.edges import Joined
from app.services.references.pending import join_pending_by_name, unlink_by_name
from app.services.references.supersession import propagate_supersession
from app.services.states.properties import (
    checked_properties,
    constants_of,
    require_still_named,
    type_of_entity,
)
from app.services.states.write_state import Cause, carry_out
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import entities, ledger_clock, lookups, states
from app.stores.postgres.mentions import NamedForm


async def require_free_renaming(
    write: UnitOfWork, definition: TypeDefinition, held: Sequence[EntityState], change: PropertyChange
) -> None:
    """Raise Conflict, naming it, when another thing goes by a name that a change gives, while it has it."""
    new = change.new
    forms = _forms_given(held, new)
    if forms:
        entity = (await entities.entities_by_id(write.connection, write.tenant, [new.entity]))[new.entity]
        valid = Interval(new.valid.start, _until(change, forms))
        await require_free_names(
            write, Naming(entity.project, definition, new.props, valid, own=entity.id), forms
        )


def _forms_given(held: Sequence[EntityState], new: EntityState) -> list[str]:
    """Return by what a thing goes in a new state and did not at that time before."""
    covering = state_at(held, new.valid.start)
    had = {name_key(form) for form in forms_of({} if covering is None else covering.props)}
    return [form for form in forms_of(new.props) if name_key(form) not in had]


def _until(change: PropertyChange, forms: Sequence[str]) -> datetime | None:
    """Return until when a change lets a thing have one of its new names."""
    until = change.new.valid.end
    for state in sorted(change.recorded, key=lambda each: each.valid.start):
        if state.valid.start == until and set(forms) & set(forms_of(state.props)):
            until = state.valid.end
    return until


async def meet_earlier_texts(
    write: UnitOfWork, definition: TypeDefinition, held: Sequence[EntityState], new: EntityState
) -> None:
    """Let references that waited for a thing's new name find it, and older texts that use it mention it.

    References that found it by a name which it never had after all, since that is corrected, wait again.
    A document goes by its identifier in texts, so that a new title means nothing there.
    """
    if definition.is_document:
        return
    had = {name_key(form): form for state in held for form in forms_of(state.props)}
    forms = _forms_given(held, new)
    lost = await _lost(write, new, had)
    if not forms and not lost:
        return
    where = (write.connection, write.tenant)
    entity = (await entities.entities_by_id(*where, [new.entity]))[new.entity]
    project = (await lookups.projects_by_number(*where, [entity.project]))[entity.project]
    if lost:
        await unlink_by_name(write, entity, lost)
    if forms:
        await join_pending_by_name(write, project, entity, forms, Joined())
    for form in forms:
        await note_earlier_mentions(write, project.number, NamedForm(entity.id, form, name_key(form)))


async def _lost(write: UnitOfWork, new: EntityState, had: Mapping[str, str]) -> list[str]:
    """Return the forms by which a thing was believed to go, and is not believed ever to have gone."""
    if had.keys() <= {name_key(form) for form in forms_of(new.props)}:
        return []
    believed = await states.current_states(write.connection, write.tenant, new.entity, Branch.COMMITTED)
    kept = {name_key(form) for state in believed for form in forms_of(state.props)}
    return [form for key, form in had.items() if key not in kept]


FACT, CORRECTION = "fact", "correction"


@dataclass(frozen=True, slots=True)
class StateChange:
    """Properties to set, where None takes one away, from a moment on; from now on without one.

    `expected` is the id of the state that the caller believes holds at that moment.
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
    """Let properties of an entity hold from a moment on, until a later state that something is said of.

    A fact about the very start of a state is a correction of it. May be called many times in one write.
    Raises NotFound for an unknown entity, Conflict when another state holds than the expected one or another
    thing has the name, and Invalid for a moment before the entity begins, for a thing that would have no name
    left, or, naming the property, for one that the type lacks or that never changes, also where nothing else
    is to change.
    """
    definition = await type_of_entity(write, entity)
    held = await states.current_states(write.connection, write.tenant, entity, Branch.COMMITTED)
    props = checked_properties(definition, change.props, held)
    if change.props and not props:
        raise Invalid(
            f"{excerpts(list(change.props))} of {definition.name} never changes and is that already;"
            " name a property to change",
            field="props",
        )
    write = await later_than(write, held)
    start = write.recorded_at
    if change.valid_from is not None:
        start = require_in_calendar(change.valid_from, "validFrom")
    _require_expected(change.expected, holding_at(held, start, "validFrom"))
    spoken = await states.asserted_properties(write.connection, write.tenant, entity, Branch.COMMITTED)
    amendment = Amendment(entity, props, constants_of(definition, held), write.actor)
    amending = amend_from(held, spoken, amendment, start, write.recorded_at)
    require_still_named(definition, props, amending.recorded)
    replaces = amending.previous is not None and amending.previous.valid.start == start
    if replaces and cause.event_type == FACT:
        cause = replace(cause, event_type=CORRECTION)
    await require_free_renaming(write, definition, held, amending)
    written = Written(amending.new, await carry_out(write, amending, cause))
    await meet_earlier_texts(write, definition, held, written.state)
    if "status" in props:
        await propagate_supersession(write, entity, held)
    return written


async def later_than(write: UnitOfWork, held: list[EntityState]) -> UnitOfWork:
    """Return the write at a transaction time at which everything held can be given up.

    What this write itself believed can only be given up at a later time than it was recorded at.
    """
    clock = await ledger_clock.read_clock(write.connection, write.tenant)
    if any(state.recorded_at >= clock for state in held):
        clock = await ledger_clock.advance_clock(write.connection, write.tenant)
    return replace(write, recorded_at=clock)


def holding_at(held: list[EntityState], moment: datetime, field: str) -> EntityState:
    """Return the state that holds at a moment; raises Invalid, telling the beginning, when none does yet."""
    holding = state_at(held, moment)
    if holding is None:
        begins = rfc_3339(held[0].valid.start)
        raise Invalid(f"the entity begins on {begins}; nothing is true of it before", field=field)
    return holding


def _require_expected(expected: UUID | None, holding: EntityState) -> None:
    if expected is not None and expected != holding.id:
        raise Conflict(
            f"another state holds at that moment: {holding.id}, not {expected}; read it again and retry",
            field="expectedState",
        )
