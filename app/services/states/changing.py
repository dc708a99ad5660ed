"""Changing what is in force: the one way by which a verb, a review or an import changes some properties."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from app.domain.amendment import Amendment, amend_from
from app.domain.bounds import excerpts
from app.domain.moment import require_in_calendar, rfc_3339
from app.domain.temporal import Branch, EntityState, StateEvent
from app.domain.timeline import state_at
from app.errors import Conflict, Invalid
from app.services.filing.taking_effect import follow
from app.services.states.properties import (
    checked_properties,
    constants_of,
    require_still_named,
    type_of_entity,
)
from app.services.states.renaming import meet_earlier_texts, require_free_renaming
from app.services.timelines import Cause, carry_out
from app.services.write import Write
from app.stores.postgres import ledger, states

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


async def change_state(write: Write, entity: UUID, change: StateChange, cause: Cause) -> Written:
    """Let properties of an entity hold from a moment on, until a later state that something is said of.

    A fact about the very start of a state is a correction of it. May be called many times in one write.
    Raises NotFound for an unknown entity, Conflict when another state holds than the expected one or another
    thing has the name, and Invalid for a moment before the entity begins, for a thing that would have no name
    left, or, naming the property, for one that the type lacks or that never changes, also where nothing else
    is to change.
    """
    definition = await type_of_entity(write, entity)
    held = await states.believed_states(write.connection, write.tenant, entity, Branch.COMMITTED)
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
    spoken = await states.spoken_properties(write.connection, write.tenant, entity, Branch.COMMITTED)
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
        await follow(write, entity, held)
    return written


async def later_than(write: Write, held: list[EntityState]) -> Write:
    """Answer the write at a transaction time at which everything held can be given up.

    What this write itself believed can only be given up at a later time than it was recorded at.
    """
    clock = await ledger.read_clock(write.connection, write.tenant)
    if any(state.recorded_at >= clock for state in held):
        clock = await ledger.advance_clock(write.connection, write.tenant)
    return replace(write, recorded_at=clock)


def holding_at(held: list[EntityState], moment: datetime, field: str) -> EntityState:
    """Answer the state that holds at a moment; raises Invalid, telling the beginning, when none does yet."""
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
