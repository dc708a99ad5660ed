"""The verbs of time, one transaction each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from app.domain.entity import Caller
from app.domain.moment import present
from app.domain.page import PageRequest
from app.domain.temporal import EntityState
from app.errors import Invalid
from app.services.catalog import Listing
from app.services.catalog.scoping import project_of
from app.services.repeating import keyed_request
from app.services.states.answer import StateAnswer
from app.services.states.causes import (
    LONGEST_DESCRIPTION,
    OWN_EVENT_TYPES,
    StatedCause,
    checked_cause,
    fit_event_type,
    kept_text,
)
from app.services.states.changing import FACT, StateChange, Written, change_state
from app.services.states.drafts import SEALED, DraftChange, Sealing, discard_draft, save_draft, seal_draft
from app.services.states.properties import type_of_entity
from app.services.states.reminders import Reminder, stale_drafts
from app.services.states.repeating import answered_before, keep
from app.services.states.statuses import odd_status
from app.services.write import Write, writing
from app.stores.postgres import drafts, entities, ledger
from app.stores.postgres.idempotency import KeyedRequest
from app.stores.postgres.pool import Database

Verb: TypeAlias = Callable[[Write], Awaitable[Written]]


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
        request = keyed_request(caller, "saveWip", key, entity=entity, draft=saved)
        return await self._carry_out(caller, request, lambda write: save_draft(write, entity, saved))

    async def seal_wip(
        self, caller: Caller, state: UUID, sealing: Sealing, key: str | None = None
    ) -> StateAnswer:
        """Let what a draft says hold from now on, and close it."""
        checked = Sealing(
            sealing.props,
            fit_event_type(sealing.event_type or SEALED, OWN_EVENT_TYPES - {SEALED}),
            kept_text(sealing.description, "description", LONGEST_DESCRIPTION),
            sealing.expected,
        )
        request = keyed_request(caller, "sealWip", key, state=state, sealing=checked)
        return await self._carry_out(caller, request, lambda write: seal_draft(write, state, checked))

    async def discard_wip(
        self, caller: Caller, state: UUID, description: str | None = None, key: str | None = None
    ) -> StateAnswer:
        """Close a draft and leave what is in force as it is."""
        said = kept_text(description, "description", LONGEST_DESCRIPTION)
        request = keyed_request(caller, "discardWip", key, state=state, description=said)
        return await self._carry_out(caller, request, lambda write: discard_draft(write, state, said))

    async def drafts(self, caller: Caller, project: str | None, page: PageRequest) -> Listing[EntityState]:
        """Answer the open drafts of a project, or of all, the longest untouched first.

        Raises NotFound for an unknown project.
        """
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            found = await drafts.drafts_page(connection, caller.tenant, number, page)

        async def counted() -> int:
            async with self._database.reading(caller.tenant) as connection:
                return await drafts.count_drafts(connection, caller.tenant, number)

        return Listing(found, counted)

    async def reminders(
        self, caller: Caller, project: str | None, now: datetime | None = None
    ) -> list[Reminder]:
        """Answer what waits for somebody in a project, or in all; raises NotFound for an unknown project."""
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            now = now or present(await ledger.read_clock(connection, caller.tenant))
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

        async def carried_out(write: Write) -> Written:
            return await change_state(write, entity, change, await checked_cause(write, stated))

        request = keyed_request(caller, operation, key, entity=entity, change=change, cause=stated)
        return await self._carry_out(caller, request, carried_out)

    async def _carry_out(self, caller: Caller, request: KeyedRequest | None, verb: Verb) -> StateAnswer:
        async with writing(self._database, caller) as write:
            if answer := await answered_before(write, request):
                return answer
            written = await verb(write)
            entity = written.state.entity
            found = await entities.entities_by_id(write.connection, write.tenant, [entity])
            position = await ledger.settle(write.connection)
            warnings = odd_status(await type_of_entity(write, entity), written.state, written.event)
            answer = StateAnswer(found[entity], written.state, written.event, position, warnings)
            await keep(write, request, answer)
            return answer
