"""When the standing of an entity changes, what it supersedes gives way, or is again what it was."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from app.domain.entity import Reference
from app.domain.succession import Succession, dated_statuses
from app.domain.temporal import Branch, EntityState, Interval
from app.domain.timeline import differing, state_at
from app.services.filing.supersession import Hearing, settle, spans_of
from app.services.write import Write
from app.stores.postgres import states
from app.stores.postgres.successions import successions_around

GivesWay: TypeAlias = Mapping[UUID, frozenset[Interval]]
"""By what an entity supersedes: over which stretches it does."""


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
    """Let an entity, and what it supersedes, give way as they do now that its timeline is another.

    `before` is what was believed of the entity until now. Comes last in a write, as settling does.
    """
    now = await states.believed_states(write.connection, write.tenant, entity, Branch.COMMITTED)
    since = _first_difference(before, now)
    if since is None:
        return
    await settle(write, entity, since)
    statuses = dated_statuses(before)
    around = await successions_around(write.connection, write.tenant, entity)
    await redate(write, entity, gives_way(entity, (replace(each, statuses=statuses) for each in around)))


def _first_difference(before: Sequence[EntityState], now: Sequence[EntityState]) -> datetime | None:
    """Answer the first moment at which two timelines say different things."""
    for start in sorted({state.valid.start for state in (*before, *now)}):
        one, other = state_at(before, start), state_at(now, start)
        if one is None or other is None or differing(one.props, other.props):
            return start
    return None


def gives_way(entity: UUID, successions: Iterable[Succession]) -> GivesWay:
    """Answer what gives way to an entity, and over which stretches."""
    found: dict[UUID, set[Interval]] = defaultdict(set)
    for each in successions:
        if each.successor == entity:
            found[each.predecessor].update(spans_of(each))
    return {predecessor: frozenset(spans) for predecessor, spans in found.items()}


async def redate(
    write: Write, entity: UUID, was: GivesWay, hearings: Mapping[UUID, Hearing] | None = None
) -> None:
    """Let what gave way to an entity give way when it does now, and no longer when it did.

    `was` is what `gives_way` answered before; `hearings` are how to hear of some of these. Comes last in a
    write, as settling does.
    """
    now = gives_way(entity, await successions_around(write.connection, write.tenant, entity))
    for predecessor in sorted({*was, *now}):
        changed = was.get(predecessor, frozenset()) ^ now.get(predecessor, frozenset())
        if not changed:
            continue
        since = min(span.start for span in changed)
        hearing = (hearings or {}).get(predecessor)
        if hearing is None:
            await settle(write, predecessor, since)
        else:
            await settle(write, predecessor, since, hearing=hearing)
