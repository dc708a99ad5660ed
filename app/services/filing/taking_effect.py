"""When the standing of a document changes, what it supersedes gives way, or is again what it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from app.domain.entity import Reference
from app.domain.standing import SUPERSEDED
from app.domain.succession import Succession, dated_statuses
from app.domain.temporal import Branch, EntityState
from app.domain.timeline import state_at
from app.services.filing.supersession import Revival, Supersession, revive, supersede
from app.services.write import Write
from app.stores.postgres import states
from app.stores.postgres.successions import successions_around


async def effective_from(write: Write, reference: Reference) -> datetime | None:
    """Answer the moment from which a supersession moves its target; None when it never does."""
    around = await successions_around(write.connection, write.tenant, reference.target)
    return next((found.effective_from for found in around if _is(found, reference)), None)


def _is(succession: Succession, reference: Reference) -> bool:
    return (
        succession.successor == reference.source
        and succession.predecessor == reference.target
        and succession.valid == reference.valid
    )


async def follow(write: Write, entity: UUID, before: Sequence[EntityState]) -> None:
    """Let what an entity supersedes give way from when it is in force, now that its timeline is another.

    `before` is what was believed of the entity until now. Comes last in a write, as superseding does.
    """
    statuses = dated_statuses(before)
    for succession in await successions_around(write.connection, write.tenant, entity):
        was = replace(succession, statuses=statuses).effective_from
        now = succession.effective_from
        if succession.successor != entity or was == now:
            continue
        cause = await _document_at(write, entity, was if now is None else now)
        if was is not None and not await _take_back(write, succession.predecessor, was, cause):
            continue
        if now is not None:
            await supersede(write, Supersession(succession.predecessor, now, cause))


async def _document_at(write: Write, entity: UUID, at: datetime | None) -> UUID | None:
    held = await states.believed_states(write.connection, write.tenant, entity, Branch.COMMITTED)
    state = None if at is None else state_at(held, at)
    return None if state is None else state.source_artifact


async def _take_back(write: Write, entity: UUID, since: datetime, cause: UUID | None) -> bool:
    """Undo a supersession that moved an entity at a moment; tells whether one did."""
    held = await states.believed_states(write.connection, write.tenant, entity, Branch.COMMITTED)
    moved = any(state.valid.start == since and state.props.get("status") == SUPERSEDED for state in held)
    if moved:
        await revive(write, Revival(entity, since, since, cause))
    return moved
