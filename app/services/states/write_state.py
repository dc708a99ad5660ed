"""Write a change of states to the ledger, with the event that explains it."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from app.domain.temporal import EntityState, StateEvent
from app.domain.timeline import PropertyChange, differing
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import states


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
