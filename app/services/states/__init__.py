"""States of entities: record facts, transitions and drafts, each with its date and cause."""

from app.services.states.change import Cause, StateChange, StatedCause, Written, change_state
from app.services.states.drafts import DraftChange, Reminder, Sealing, is_stale
from app.services.states.service import StateAnswer, StateService
from app.services.states.timeline import Timeline

__all__ = [
    "Cause",
    "DraftChange",
    "Reminder",
    "Sealing",
    "StateAnswer",
    "StateChange",
    "StateService",
    "StatedCause",
    "Timeline",
    "Written",
    "change_state",
    "is_stale",
]
