"""A change asked for again under the same key: what it gave the first time, and nothing written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from app.services import repeating
from app.services.states.answer import StateAnswer
from app.services.states.properties import type_of_entity
from app.services.states.statuses import odd_status
from app.services.write import Write
from app.stores.postgres import entities, histories, states
from app.stores.postgres.idempotency import KeyedRequest


async def answered_before(write: Write, request: KeyedRequest | None) -> StateAnswer | None:
    """Answer what was answered to a request's key; raises Conflict when it came with other input."""
    kept = await repeating.kept_answer(write.connection, write.tenant, request)
    return None if kept is None else await _restored(write, kept)


async def keep(write: Write, request: KeyedRequest | None, answer: StateAnswer) -> None:
    """Keep what is answered to a request's key, in the transaction that carries it out."""
    kept = {"state": str(answer.state.id), "event": str(answer.event.id), "position": answer.position}
    await repeating.keep_answer(write, request, kept)


async def _restored(write: Write, kept: dict[str, Any]) -> StateAnswer:
    where = (write.connection, write.tenant)
    state_id, event_id = UUID(kept["state"]), UUID(kept["event"])
    state = (await states.states_by_id(*where, [state_id]))[state_id]
    event = (await histories.events_by_id(*where, [event_id]))[event_id]
    return StateAnswer(
        entity=(await entities.entities_by_id(*where, [state.entity]))[state.entity],
        state=replace(state, retracted_at=None),  # as it stood when this was first answered
        event=event,
        position=kept["position"],
        warnings=odd_status(await type_of_entity(write, state.entity), state, event),
    )
