"""What a verb of time left in the ledger."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.entity import Entity
from app.domain.temporal import EntityState, StateEvent


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
