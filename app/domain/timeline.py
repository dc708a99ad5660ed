"""How a new belief fits among those already held, without overwriting any.

A timeline is what is believed of one branch of one entity: states that tile time from the first on.
A change to it retracts some beliefs and records others; together they tile time again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from app.domain.temporal import Branch, EntityState, Interval


@dataclass(frozen=True, slots=True)
class Assertion:
    """What somebody says of an entity, from a moment on."""

    entity: UUID
    props: dict[str, Any]
    source_artifact: UUID | None
    actor: str
    branch: Branch = Branch.COMMITTED


@dataclass(frozen=True, slots=True)
class Change:
    """Beliefs to retract and to record; `previous` is the state that `new` follows, as it then stands."""

    retracted: tuple[UUID, ...]
    recorded: tuple[EntityState, ...]
    previous: EntityState | None
    new: EntityState


def assert_from(
    timeline: Sequence[EntityState], assertion: Assertion, start: datetime, recorded_at: datetime
) -> Change:
    """Answer the change by which an assertion holds from `start` until the next state there is.

    Before the first state it fills the time up to it; at the start of a state it corrects that state;
    inside a state it cuts it in two.
    """
    following = next((state.valid.start for state in timeline if state.valid.start > start), None)
    new = _state(assertion, Interval(start, following), recorded_at)
    covering = next((state for state in timeline if state.valid.covers(start)), None)
    if covering is None:
        return Change((), (new,), None, new)
    if covering.valid.start == start:
        return Change((covering.id,), (new,), covering, new)
    before = _shortened(covering, covering.props, start, recorded_at)
    return Change((covering.id,), (before, new), before, new)


def divide(
    state: EntityState,
    at: datetime,
    before: dict[str, Any],
    after: Assertion,
    recorded_at: datetime,
) -> Change:
    """Answer the change by which a state reads `before` up to `at` and the assertion from then on."""
    if at <= state.valid.start:
        new = _state(after, state.valid, recorded_at)
        return Change((state.id,), (new,), state, new)
    left = _shortened(state, before, at, recorded_at)
    new = _state(after, Interval(at, state.valid.end), recorded_at)
    return Change((state.id,), (left, new), left, new)


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
    )


def _shortened(
    state: EntityState, props: dict[str, Any], end: datetime, recorded_at: datetime
) -> EntityState:
    valid = Interval(state.valid.start, end)
    return replace(state, id=uuid4(), valid=valid, props=props, recorded_at=recorded_at)
