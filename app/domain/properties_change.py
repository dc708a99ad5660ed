"""Change some properties from a moment on, and carry the change into later states.

A property's new value holds until a later state whose events set the property, or which gave it another
value. The states in between keep all their other properties.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID, uuid4

from app.domain.temporal import EntityState
from app.domain.timeline import Assertion, PropertyChange, assert_from, differing, state_at

AssertedNames: TypeAlias = Mapping[datetime, frozenset[str]]
"""By the start of a state: the properties that the events at this start set."""


@dataclass(frozen=True, slots=True)
class Amendment:
    """Properties to set, None removes one; `constant` holds the entity's immutable properties.

    `source_artifact` is the document they were read from; without one, states keep their own.
    """

    entity: UUID
    props: Mapping[str, Any]
    constant: Mapping[str, Any]
    actor: str
    source_artifact: UUID | None = None


def amend_from(
    timeline: Sequence[EntityState],
    asserted: AssertedNames,
    amendment: Amendment,
    start: datetime,
    recorded_at: datetime,
) -> PropertyChange:
    """Return the change by which an amendment holds from `start` on, as far as it reaches.

    Before the first state nothing else is known, so the time up to it has only the amendment.
    """
    covering = state_at(timeline, start)
    base = amendment.constant if covering is None else covering.props
    source = amendment.source_artifact or (None if covering is None else covering.source_artifact)
    assertion = Assertion(amendment.entity, with_changes(base, amendment.props), source, amendment.actor)
    opening = assert_from(timeline, assertion, start, recorded_at)
    later_states = [state for state in timeline if state.valid.start > start]
    carried = list(_carry_forward(later_states, base, asserted, amendment, recorded_at))
    return replace(
        opening,
        retracted=(*opening.retracted, *(before.id for before, _ in carried)),
        recorded=(*opening.recorded, *(after for _, after in carried)),
        properties=tuple(sorted(amendment.props)),
    )


def with_changes(props: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties with the changes applied; None removes a property."""
    taken_away = {name for name, value in changes.items() if value is None}
    return {name: value for name, value in {**props, **changes}.items() if name not in taken_away}


def _carry_forward(
    later_states: Sequence[EntityState],
    before: Mapping[str, Any],
    asserted: AssertedNames,
    amendment: Amendment,
    recorded_at: datetime,
) -> Iterator[tuple[EntityState, EntityState]]:
    """Yield each later state that the amendment reaches, before and after the change."""
    reaching = frozenset(amendment.props)
    for state in later_states:
        reaching -= asserted.get(state.valid.start, frozenset()) | differing(before, state.props)
        before = state.props
        props = with_changes(state.props, {name: amendment.props[name] for name in reaching})
        if differing(props, state.props):
            after = replace(
                state,
                id=uuid4(),
                props=props,
                source_artifact=amendment.source_artifact or state.source_artifact,
                recorded_at=recorded_at,
                actor=amendment.actor,
            )
            yield state, after
