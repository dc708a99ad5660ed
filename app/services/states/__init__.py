"""Verbs of time: what changes an entity's state, from when on, and why."""

from app.services.states.changing import StateChange, Written, change_state
from app.services.timelines import Cause

__all__ = ["Cause", "StateChange", "Written", "change_state"]
