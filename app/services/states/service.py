"""The operations on states: facts, transitions, drafts and reminders, one transaction each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg

from app.domain.bounds import MAX_DESCRIPTION
from app.domain.entity import Caller, Entity
from app.domain.numbers import TenantNumber
from app.domain.page import MAX_ITEMS, PageRequest
from app.domain.temporal import EVERYTHING_KNOWN, AsOf, Branch, EntityState, StateEvent
from app.errors import Invalid
from app.services.catalog import Listing
from app.services.catalog.lookup import instant, project_of
from app.services.idempotency import SavedAnswer, idempotent_request, write_once
from app.services.states.change import (
    FACT,
    OWN_EVENT_TYPES,
    SEALED,
    StateChange,
    StatedCause,
    Written,
    change_state,
    check_cause,
    fit_event_type,
    fit_text,
)
from app.services.states.drafts import (
    DraftChange,
    Reminder,
    Sealing,
    discard_draft,
    save_draft,
    seal_draft,
    stale_drafts,
)
from app.services.states.properties import odd_status
from app.services.states.timeline import Timeline, load_timeline
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import entities, ledger_clock, state_history, states
from app.stores.postgres.idempotency import IdempotentRequest
from app.stores.postgres.lists import HistoryFilter
from app.stores.postgres.pool import Database


@dataclass(frozen=True, slots=True)
class StateAnswer:
    """The entity, the state that was written, the event that leads to it, and the outbox position.

    `warnings` name what is odd about the state, and how it is read.
    """

    entity: Entity
    state: EntityState
    event: StateEvent
    position: int | None
    warnings: tuple[str, ...] = ()


def _to_response(answer: StateAnswer) -> dict[str, Any]:
    return {"state": str(answer.state.id), "event": str(answer.event.id), "position": answer.position}


async def _restore(
    connection: asyncpg.Connection, tenant: TenantNumber, response: Mapping[str, Any]
) -> StateAnswer:
    where = (connection, tenant)
    state_id, event_id = UUID(response["state"]), UUID(response["event"])
    state = (await states.states_by_id(*where, [state_id]))[state_id]
    event = (await state_history.events_by_id(*where, [event_id]))[event_id]
    return StateAnswer(
        entity=(await entities.entities_by_id(*where, [state.entity]))[state.entity],
        state=replace(state, retracted_at=None),  # as it was in the first answer
        event=event,
        position=response["position"],
        warnings=await odd_status(*where, state, event),
    )


SAVED_STATE = SavedAnswer(_to_response, _restore)


Verb: TypeAlias = Callable[[UnitOfWork], Awaitable[Written]]


class StateService:
    """Changes the states of entities; each operation writes everything or nothing.

    Each raises NotFound for an unknown id, Conflict if the ledger changed since the caller read it, Invalid
    for unfit input, and Forbidden for a reader. The same input under the same `key` gives
    the first answer again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record_fact(
        self, caller: Caller, entity: UUID, change: StateChange, cause: StatedCause, key: str | None = None
    ) -> StateAnswer:
        """Set one property from a moment on."""
        try:
            fact = replace(cause, event_type=FACT)
            return await self._change("recordFact", caller, entity, change, fact, key)
        except Invalid as error:
            if error.field == "props":
                error.field = "property"
            raise

    async def transition(
        self, caller: Caller, entity: UUID, change: StateChange, cause: StatedCause, key: str | None = None
    ) -> StateAnswer:
        """Set several properties from a moment on, with an event type that the caller names."""
        return await self._change("transition", caller, entity, change, cause, key)

    async def save_wip(
        self, caller: Caller, entity: UUID, saved: DraftChange, key: str | None = None
    ) -> StateAnswer:
        """Begin the draft of an entity, or set more properties in the one there is."""
        request = idempotent_request(caller, "saveWip", key, entity=entity, draft=saved)
        return await self._carry_out(caller, request, lambda write: save_draft(write, entity, saved))

    async def seal_wip(
        self, caller: Caller, state: UUID, sealing: Sealing, key: str | None = None
    ) -> StateAnswer:
        """Make the properties of a draft committed from now on, and close the draft."""
        checked = Sealing(
            sealing.props,
            fit_event_type(sealing.event_type or SEALED, OWN_EVENT_TYPES - {SEALED}),
            fit_text(sealing.description, "description", MAX_DESCRIPTION),
            sealing.expected,
        )
        request = idempotent_request(caller, "sealWip", key, state=state, sealing=checked)
        return await self._carry_out(caller, request, lambda write: seal_draft(write, state, checked))

    async def discard_wip(
        self, caller: Caller, state: UUID, description: str | None = None, key: str | None = None
    ) -> StateAnswer:
        """Close a draft without changing the committed state."""
        said = fit_text(description, "description", MAX_DESCRIPTION)
        request = idempotent_request(caller, "discardWip", key, state=state, description=said)
        return await self._carry_out(caller, request, lambda write: discard_draft(write, state, said))

    async def history(self, caller: Caller, entity: Entity, known_at: datetime | None = None) -> Timeline:
        """Return the first hundred states of an entity, by what was known at a transaction time."""
        known, page = known_at or EVERYTHING_KNOWN, PageRequest(MAX_ITEMS)
        async with self._database.reading(caller.tenant) as connection:
            where = (connection, caller.tenant)
            pages = await state_history.states_of_entities(*where, [entity.id], HistoryFilter(known), page)
            moment = AsOf(await instant(connection, caller, None), known)
            return await load_timeline(*where, entity, pages[entity.id].items, moment)

    async def at(
        self, caller: Caller, entity: Entity, as_of: datetime | None = None, known_at: datetime | None = None
    ) -> Timeline:
        """Return the state of an entity at an instant, now by default, and the draft that is open then."""
        async with self._database.reading(caller.tenant) as connection:
            where = (connection, caller.tenant)
            moment = AsOf(await instant(connection, caller, as_of), known_at or EVERYTHING_KNOWN)
            found = await states.states_as_of(*where, [entity.id], moment)
            held = sorted(found.values(), key=lambda state: state.branch)
            line = await load_timeline(*where, entity, held, moment)
        away = tuple(each for each in line.absences if each.hides_document(moment.valid))
        return replace(line, absences=away)

    async def committed(
        self, caller: Caller, entities: Sequence[UUID], as_of: datetime | None = None
    ) -> dict[UUID, EntityState]:
        """Return the committed states of entities at an instant, now by default."""
        async with self._database.reading(caller.tenant) as connection:
            moment = AsOf(await instant(connection, caller, as_of), EVERYTHING_KNOWN)
            found = await states.states_as_of(connection, caller.tenant, entities, moment)
        return {state.entity: state for state in found.values() if state.branch is Branch.COMMITTED}

    async def drafts(self, caller: Caller, project: str | None, page: PageRequest) -> Listing[EntityState]:
        """Return the open drafts of a project, or of all, the longest untouched first.

        Raises NotFound for an unknown project.
        """
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            found = await states.drafts_page(connection, caller.tenant, number, page)

        async def count() -> int:
            async with self._database.reading(caller.tenant) as connection:
                return await states.count_drafts(connection, caller.tenant, number)

        return Listing(found, count)

    async def reminders(
        self, caller: Caller, project: str | None, now: datetime | None = None
    ) -> list[Reminder]:
        """Return what needs attention in a project, or in all; raise NotFound for an unknown project."""
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            now = await instant(connection, caller, now)
            return await stale_drafts(connection, caller.tenant, number, now)

    async def _change(
        self,
        operation: str,
        caller: Caller,
        entity: UUID,
        change: StateChange,
        stated: StatedCause,
        key: str | None,
    ) -> StateAnswer:
        if not change.props:
            raise Invalid("give at least one property to change", field="props")

        async def carry_out_change(write: UnitOfWork) -> Written:
            return await change_state(write, entity, change, await check_cause(write, stated))

        request = idempotent_request(caller, operation, key, entity=entity, change=change, cause=stated)
        return await self._carry_out(caller, request, carry_out_change)

    async def _carry_out(self, caller: Caller, request: IdempotentRequest | None, verb: Verb) -> StateAnswer:
        async def carry_out(write: UnitOfWork) -> StateAnswer:
            written = await verb(write)
            entity, where = written.state.entity, (await write.flush(), write.tenant)
            found = await entities.entities_by_id(*where, [entity])
            position = await ledger_clock.finish_write(await write.flush())
            warnings = await odd_status(*where, written.state, written.event)
            return StateAnswer(found[entity], written.state, written.event, position, warnings)

        return await write_once(self._database, caller, request, SAVED_STATE, carry_out)
