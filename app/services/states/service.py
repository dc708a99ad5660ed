"""The operations on states: facts, transitions, drafts and reminders, one transaction each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

from app.domain.entity import Caller, Entity
from app.domain.page import PageRequest
from app.domain.temporal import EntityState, StateEvent, present
from app.errors import Invalid
from app.services import idempotency
from app.services.catalog import Listing
from app.services.catalog.lookup import project_of
from app.services.idempotency import idempotent_request
from app.services.states.change import FACT, StateChange, Written, change_state
from app.services.states.drafts import (
    SEALED,
    DraftChange,
    Reminder,
    Sealing,
    discard_draft,
    save_draft,
    seal_draft,
    stale_drafts,
)
from app.services.states.event_types import (
    MAX_DESCRIPTION_LENGTH,
    OWN_EVENT_TYPES,
    StatedCause,
    check_cause,
    fit_event_type,
    fit_text,
)
from app.services.states.properties import odd_status, type_of_entity
from app.services.unit_of_work import UnitOfWork, unit_of_work
from app.stores.postgres import entities, ledger_clock, state_history, states
from app.stores.postgres.idempotency import IdempotentRequest
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


async def load_answer(write: UnitOfWork, request: IdempotentRequest | None) -> StateAnswer | None:
    """Return the answer saved under a request's key; raise Conflict if the key came with other input."""
    response = await idempotency.load_response(write.connection, write.tenant, request)
    return None if response is None else await _restore(write, response)


async def save_answer(write: UnitOfWork, request: IdempotentRequest | None, answer: StateAnswer) -> None:
    """Save the answer to a request under its key, in the transaction that carries it out."""
    response = {"state": str(answer.state.id), "event": str(answer.event.id), "position": answer.position}
    await idempotency.save_response(write, request, response)


async def _restore(write: UnitOfWork, response: dict[str, Any]) -> StateAnswer:
    where = (write.connection, write.tenant)
    state_id, event_id = UUID(response["state"]), UUID(response["event"])
    state = (await states.states_by_id(*where, [state_id]))[state_id]
    event = (await state_history.events_by_id(*where, [event_id]))[event_id]
    return StateAnswer(
        entity=(await entities.entities_by_id(*where, [state.entity]))[state.entity],
        state=replace(state, retracted_at=None),  # as it was in the first answer
        event=event,
        position=response["position"],
        warnings=odd_status(await type_of_entity(write, state.entity), state, event),
    )


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
            fit_text(sealing.description, "description", MAX_DESCRIPTION_LENGTH),
            sealing.expected,
        )
        request = idempotent_request(caller, "sealWip", key, state=state, sealing=checked)
        return await self._carry_out(caller, request, lambda write: seal_draft(write, state, checked))

    async def discard_wip(
        self, caller: Caller, state: UUID, description: str | None = None, key: str | None = None
    ) -> StateAnswer:
        """Close a draft without changing the committed state."""
        said = fit_text(description, "description", MAX_DESCRIPTION_LENGTH)
        request = idempotent_request(caller, "discardWip", key, state=state, description=said)
        return await self._carry_out(caller, request, lambda write: discard_draft(write, state, said))

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
            now = now or present(await ledger_clock.read_clock(connection, caller.tenant))
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
        async with unit_of_work(self._database, caller) as write:
            if answer := await load_answer(write, request):
                return answer
            written = await verb(write)
            entity = written.state.entity
            found = await entities.entities_by_id(write.connection, write.tenant, [entity])
            position = await ledger_clock.finish_write(write.connection)
            warnings = odd_status(await type_of_entity(write, entity), written.state, written.event)
            answer = StateAnswer(found[entity], written.state, written.event, position, warnings)
            await save_answer(write, request, answer)
            return answer
