"""When the standing of a document changes, what it supersedes gives way, or is again what it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from app.domain.entity import Reference
from app.domain.standing import SUPERSEDED
from app.domain.succession import Succession, dated_statuses
from app.domain.temporal import Branch, EntityState
from app.services.filing.supersession import Revival, Supersession, document_at, revive, supersede
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
    around = await successions_around(write.connection, write.tenant, entity)
    was = gives_way(entity, (replace(each, statuses=statuses) for each in around))
    await redate(write, entity, was)
    for predecessor, start in gives_way(entity, around).items():
        if predecessor not in was:
            cause = await document_at(write, entity, start)
            await supersede(write, Supersession(predecessor, start, cause))


def gives_way(entity: UUID, successions: Iterable[Succession]) -> dict[UUID, datetime]:
    """Answer what an entity is said to supersede still, with the moment from which it first does."""
    found: dict[UUID, datetime] = {}
    for each in successions:
        start = each.effective_from
        if each.successor == entity and start is not None and each.valid.end is None:
            found[each.predecessor] = min(start, found.get(each.predecessor, start))
    return found


async def redate(write: Write, entity: UUID, was: Mapping[UUID, datetime]) -> None:
    """Let what gave way to an entity give way when it does now, and no longer when it did.

    `was` is what `gives_way` answered before. A state that did not move then, since its own document says
    otherwise, stays. Comes last in a write, as superseding does.
    """
    now = gives_way(entity, await successions_around(write.connection, write.tenant, entity))
    for predecessor, before in was.items():
        after = now.get(predecessor)
        cause = await document_at(write, entity, after or before)
        if after != before and await _take_back(write, predecessor, before, cause) and after is not None:
            await supersede(write, Supersession(predecessor, after, cause))


async def _take_back(write: Write, entity: UUID, since: datetime, cause: UUID | None) -> bool:
    """Undo a supersession that moved an entity at a moment; tells whether one did."""
    held = await states.believed_states(write.connection, write.tenant, entity, Branch.COMMITTED)
    moved = any(state.valid.start == since and state.props.get("status") == SUPERSEDED for state in held)
    if moved:
        await revive(write, Revival(entity, since, since, cause))
    return moved
