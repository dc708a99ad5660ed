"""Verbs of time: what changes an entity's state, from when on, and why."""

from app.services.states.answer import StateAnswer
from app.services.states.causes import StatedCause
from app.services.states.changing import StateChange, Written, change_state
from app.services.states.drafts import DraftChange, Sealing
from app.services.states.reminders import Reminder, is_stale
from app.services.states.service import StateService
from app.services.timelines import Cause

__all__ = [
    "Cause",
    "DraftChange",
    "Reminder",
    "Sealing",
    "StateAnswer",
    "StateChange",
    "StateService",
    "StatedCause",
    "Written",
    "change_state",
    "is_stale",
]
