"""Add a state to a timeline without overwriting recorded states.

A timeline is the current states of one branch of one entity, which tile time from the first on.
A change retracts some states and records others; together they tile time again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from app.domain.temporal import Branch, EntityState, Interval, WipSource


@dataclass(frozen=True, slots=True)
class Assertion:
    """An assertion about an entity, from a moment on."""

    entity: UUID
    props: dict[str, Any]
    source_artifact: UUID | None
    actor: str
    branch: Branch = Branch.COMMITTED
    wip_source: WipSource | None = None


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """States to retract and to record; `previous` is the state before `new`, as it is then recorded.

    `properties` are the names that the change sets.
    """

    retracted: tuple[UUID, ...]
    recorded: tuple[EntityState, ...]
    previous: EntityState | None
    new: EntityState
    properties: tuple[str, ...]


def state_at(timeline: Sequence[EntityState], moment: datetime) -> EntityState | None:
    """Return the state that covers a moment."""
    return next((state for state in timeline if state.valid.covers(moment)), None)


def differ(one: object, other: object) -> bool:
    """Return whether two JSON values differ; unlike in Python, true is not 1.

    A number is the same however it is written: a ledger returns 1e16 as an integer.
    """
    return json.dumps(_whole(one), sort_keys=True) != json.dumps(_whole(other), sort_keys=True)


def _whole(value: object) -> object:
    """Return a JSON value with its integral numbers as integers."""
    if isinstance(value, Mapping):
        return {name: _whole(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the properties in which two states differ."""
    return frozenset(
        name
        for name in one.keys() | other.keys()
        if (name in one) != (name in other) or differ(one.get(name), other.get(name))
    )


def assert_from(
    timeline: Sequence[EntityState], assertion: Assertion, start: datetime, recorded_at: datetime
) -> PropertyChange:
    """Return the change by which an assertion holds from `start` until the next state there is.

    Before the first state it fills the time up to it; at the start of a state it corrects that state;
    inside a state it splits it. It sets all properties that it or the previous state has.
    """
    following = next((state.valid.start for state in timeline if state.valid.start > start), None)
    new = _state(assertion, Interval(start, following), recorded_at)
    covering = state_at(timeline, start)
    if covering is None:
        return PropertyChange((), (new,), None, new, tuple(sorted(assertion.props)))
    properties = tuple(sorted(assertion.props.keys() | covering.props.keys()))
    if covering.valid.start == start:
        return PropertyChange((covering.id,), (new,), covering, new, properties)
    before = shorten(covering, covering.props, start, recorded_at)
    return PropertyChange((covering.id,), (before, new), before, new, properties)


def _state(assertion: Assertion, valid: Interval, recorded_at: datetime) -> EntityState:
    return EntityState(
        id=uuid4(),
        entity=assertion.entity,
        branch=assertion.branch,
        valid=valid,
        recorded_at=recorded_at,
        retracted_at=None,
        props=assertion.props,
        source_artifact=assertion.source_artifact,
        actor=assertion.actor,
        wip_source=assertion.wip_source,
    )


def shorten(state: EntityState, props: dict[str, Any], end: datetime, recorded_at: datetime) -> EntityState:
    """Return a state that ends at a moment, with these properties."""
    valid = Interval(state.valid.start, end)
    return replace(state, id=uuid4(), valid=valid, props=props, recorded_at=recorded_at)
