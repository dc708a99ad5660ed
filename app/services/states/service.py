"""The verbs of time, one transaction each."""

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
    checked_cause,
    fit_event_type,
    kept_text,
)
from app.services.states.properties import odd_status, type_of_entity
from app.services.unit_of_work import UnitOfWork, unit_of_work
from app.stores.postgres import entities, ledger_clock, state_history, states
from app.stores.postgres.idempotency import IdempotentRequest
from app.stores.postgres.pool import Database


@dataclass(frozen=True, slots=True)
class StateAnswer:
    """The entity, the state that was written, the event that leads to it, and the write's position.

    `warnings` say what is odd about it, and how it is read.
    """

    entity: Entity
    state: EntityState
    event: StateEvent
    position: int | None
    warnings: tuple[str, ...] = ()


async def answered_before(write: UnitOfWork, request: IdempotentRequest | None) -> StateAnswer | None:
    """Return what was answered to a request's key; raises Conflict when it came with other input."""
    kept = await idempotency.load_response(write.connection, write.tenant, request)
    return None if kept is None else await _restored(write, kept)


async def keep(write: UnitOfWork, request: IdempotentRequest | None, answer: StateAnswer) -> None:
    """Keep what is answered to a request's key, in the transaction that carries it out."""
    kept = {"state": str(answer.state.id), "event": str(answer.event.id), "position": answer.position}
    await idempotency.save_response(write, request, kept)


async def _restored(write: UnitOfWork, kept: dict[str, Any]) -> StateAnswer:
    where = (write.connection, write.tenant)
    state_id, event_id = UUID(kept["state"]), UUID(kept["event"])
    state = (await states.states_by_id(*where, [state_id]))[state_id]
    event = (await state_history.events_by_id(*where, [event_id]))[event_id]
    return StateAnswer(
        entity=(await entities.entities_by_id(*where, [state.entity]))[state.entity],
        state=replace(state, retracted_at=None),  # as it stood when this was first answered
        event=event,
        position=kept["position"],
        warnings=odd_status(await type_of_entity(write, state.entity), state, event),
    )


Verb: TypeAlias = Callable[[UnitOfWork], Awaitable[Written]]


class StateService:
    """Changes what is believed of an entity; every verb writes all of it or nothing.

    Each raises NotFound for what is not there, Conflict when the ledger moved on since the caller looked,
    Invalid for what cannot be kept, and Forbidden for a reader. The same input under the same `key` gives
    the first answer again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record_fact(
        self, caller: Caller, entity: UUID, change: StateChange, cause: StatedCause, key: str | None = None
    ) -> StateAnswer:
        """Let one property hold from a moment on."""
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
        """Let several properties hold from a moment on, by an event of the caller's naming."""
        return await self._change("transition", caller, entity, change, cause, key)

    async def save_wip(
        self, caller: Caller, entity: UUID, saved: DraftChange, key: str | None = None
    ) -> StateAnswer:
        """Begin the draft of an entity, or lay more over the one there is."""
        request = idempotent_request(caller, "saveWip", key, entity=entity, draft=saved)
        return await self._carry_out(caller, request, lambda write: save_draft(write, entity, saved))

    async def seal_wip(
        self, caller: Caller, state: UUID, sealing: Sealing, key: str | None = None
    ) -> StateAnswer:
        """Let what a draft says hold from now on, and close it."""
        checked = Sealing(
            sealing.props,
            fit_event_type(sealing.event_type or SEALED, OWN_EVENT_TYPES - {SEALED}),
            kept_text(sealing.description, "description", MAX_DESCRIPTION_LENGTH),
            sealing.expected,
        )
        request = idempotent_request(caller, "sealWip", key, state=state, sealing=checked)
        return await self._carry_out(caller, request, lambda write: seal_draft(write, state, checked))

    async def discard_wip(
        self, caller: Caller, state: UUID, description: str | None = None, key: str | None = None
    ) -> StateAnswer:
        """Close a draft and leave what is in force as it is."""
        said = kept_text(description, "description", MAX_DESCRIPTION_LENGTH)
        request = idempotent_request(caller, "discardWip", key, state=state, description=said)
        return await self._carry_out(caller, request, lambda write: discard_draft(write, state, said))

    async def drafts(self, caller: Caller, project: str | None, page: PageRequest) -> Listing[EntityState]:
        """Return the open drafts of a project, or of all, the longest untouched first.

        Raises NotFound for an unknown project.
        """
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            found = await states.drafts_page(connection, caller.tenant, number, page)

        async def counted() -> int:
            async with self._database.reading(caller.tenant) as connection:
                return await states.count_drafts(connection, caller.tenant, number)

        return Listing(found, counted)

    async def reminders(
        self, caller: Caller, project: str | None, now: datetime | None = None
    ) -> list[Reminder]:
        """Return what waits for somebody in a project, or in all; raises NotFound for an unknown project."""
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
            raise Invalid("name at least one property to change", field="props")

        async def carried_out(write: UnitOfWork) -> Written:
            return await change_state(write, entity, change, await checked_cause(write, stated))

        request = idempotent_request(caller, operation, key, entity=entity, change=change, cause=stated)
        return await self._carry_out(caller, request, carried_out)

    async def _carry_out(self, caller: Caller, request: IdempotentRequest | None, verb: Verb) -> StateAnswer:
        async with unit_of_work(self._database, caller) as write:
            if answer := await answered_before(write, request):
                return answer
            written = await verb(write)
            entity = written.state.entity
            found = await entities.entities_by_id(write.connection, write.tenant, [entity])
            position = await ledger_clock.settle(write.connection)
            warnings = odd_status(await type_of_entity(write, entity), written.state, written.event)
            answer = StateAnswer(found[entity], written.state, written.event, position, warnings)
            await keep(write, request, answer)
            return answer
