"""A change of some properties from a moment on, and how far it reaches into what holds later.

Each property holds until a later state that something was said of: one whose events speak of it, or which
gave it another value. States in between keep what they say of everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID, uuid4

from app.domain.temporal import EntityState
from app.domain.timeline import Assertion, PropertyChange, assert_from, differing, state_at

Spoken: TypeAlias = Mapping[datetime, frozenset[str]]
"""By the start of a state: the properties that the events at this start speak of."""


@dataclass(frozen=True, slots=True)
class Amendment:
    """Properties that somebody sets, None takes one away; `constant` is what holds of the entity always.

    `source_artifact` is the document they were read from; without one, states keep theirs.
    """

    entity: UUID
    props: Mapping[str, Any]
    constant: Mapping[str, Any]
    actor: str
    source_artifact: UUID | None = None


def amend_from(
    timeline: Sequence[EntityState],
    spoken: Spoken,
    amendment: Amendment,
    start: datetime,
    recorded_at: datetime,
) -> PropertyChange:
    """Return the change by which an amendment holds from `start` on, as far as it reaches.

    Before the first state nothing else is known, so the time up to it says the amendment alone.
    """
    covering = state_at(timeline, start)
    base = amendment.constant if covering is None else covering.props
    source = amendment.source_artifact or (None if covering is None else covering.source_artifact)
    assertion = Assertion(amendment.entity, amended(base, amendment.props), source, amendment.actor)
    opening = assert_from(timeline, assertion, start, recorded_at)
    later = [state for state in timeline if state.valid.start > start]
    carried = list(_carried(later, base, spoken, amendment, recorded_at))
    return replace(
        opening,
        retracted=(*opening.retracted, *(before.id for before, _ in carried)),
        recorded=(*opening.recorded, *(after for _, after in carried)),
        properties=tuple(sorted(amendment.props)),
    )


def amended(props: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties with changes laid over them; None takes a property away."""
    taken_away = {name for name, value in changes.items() if value is None}
    return {name: value for name, value in {**props, **changes}.items() if name not in taken_away}


def _carried(
    later: Sequence[EntityState],
    before: Mapping[str, Any],
    spoken: Spoken,
    amendment: Amendment,
    recorded_at: datetime,
) -> Iterator[tuple[EntityState, EntityState]]:
    """Yield each later state that the amendment reaches, as it was and as it is to be."""
    reaching = frozenset(amendment.props)
    for state in later:
        reaching -= spoken.get(state.valid.start, frozenset()) | differing(before, state.props)
        before = state.props
        props = amended(state.props, {name: amendment.props[name] for name in reaching})
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
