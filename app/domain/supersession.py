"""From when on a document that is said to supersede another really does: once it is in force itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.domain.recall import StateFlag
from app.domain.status_words import standing, was_in_force
from app.domain.temporal import EntityState, Interval


@dataclass(frozen=True, slots=True)
class DatedStatus:
    """What the status of an entity was over one stretch of time; None where it says none."""

    valid: Interval
    status: str | None


@dataclass(frozen=True, slots=True)
class Succession:
    """A reference by which one entity supersedes another, and the statuses of the successor in order of time.

    `stated_from` is the date of the document that states it; `by_predecessor` tells whether that is a
    document of the superseded entity itself.
    """

    predecessor: UUID
    successor: UUID
    valid: Interval
    stated_from: datetime
    by_predecessor: bool
    statuses: tuple[DatedStatus, ...]

    @property
    def effective_from(self) -> datetime | None:
        """The moment from which the predecessor is superseded; None when it never is.

        Whoever calls itself superseded is. Otherwise the successor has to be in force while it is said to
        supersede; what becomes of it afterwards changes nothing.
        """
        if self.by_predecessor:
            return self.valid.start
        in_force = self._in_force_from()
        if in_force is None:
            return None
        moment = max(self.valid.start, in_force)
        return moment if self.valid.end is None or moment < self.valid.end else None

    def holds_at(self, moment: datetime) -> bool:
        """Return whether the predecessor is superseded by this at a moment."""
        start = self.effective_from
        return start is not None and start <= moment and self.valid.covers(moment)

    def _in_force_from(self) -> datetime | None:
        """Return the start of the first status, since this is stated, by which the successor is in force.

        One whose first known status is that it was superseded had been in force before anybody told of it;
        a draft that was superseded had not.
        """
        was = False
        for place, dated in enumerate(self.statuses):
            ended = was_in_force(dated.status)
            is_now = standing(dated.status) is StateFlag.CURRENT
            was = was or is_now or (ended and place == 0)
            lasts = dated.valid.end is None or dated.valid.end > self.stated_from
            if lasts and (is_now or (ended and was)):
                return dated.valid.start
        return None


def dated_statuses(states: Iterable[EntityState]) -> tuple[DatedStatus, ...]:
    """Return the statuses that states say, None for one that is no text."""
    said = ((state.valid, state.props.get("status")) for state in states)
    return tuple(DatedStatus(valid, status if isinstance(status, str) else None) for valid, status in said)
