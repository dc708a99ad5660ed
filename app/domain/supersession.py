"""Decide from when a supersession takes effect: once the successor is in force itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from app.domain.status_words import NO_TEAM_WORDS, TeamWords, may_put_in_force, was_in_force
from app.domain.temporal import EntityState, Interval


@dataclass(frozen=True, slots=True)
class DatedStatus:
    """The status of an entity over one interval; None if it has none."""

    valid: Interval
    status: str | None


SuccessionOrder: TypeAlias = tuple[datetime, int, str]
"""The moment of a supersession, and the length and text of its successor's key: ADR-10 follows ADR-9."""


@dataclass(frozen=True, slots=True)
class Succession:
    """A reference by which one entity supersedes another, and the successor's statuses in order of time.

    `stated_from` is the date of the document that states it; `by_predecessor` is whether that document
    belongs to the superseded entity itself. `team` are the status words of the successor's project.
    """

    predecessor: UUID
    successor: UUID
    valid: Interval
    stated_from: datetime
    by_predecessor: bool
    statuses: tuple[DatedStatus, ...]
    successor_key: str = ""
    team: TeamWords = NO_TEAM_WORDS

    def order_at(self, start: datetime) -> SuccessionOrder:
        """Return its place among the successions of one entity: by date, then by key."""
        return start, len(self.successor_key), self.successor_key

    @property
    def effective_from(self) -> datetime | None:
        """The moment from which the predecessor is superseded; None if it never is.

        A document that calls itself superseded is. Otherwise the successor must be in force while the
        reference holds; its later status changes nothing.
        """
        if self.by_predecessor:
            return self.valid.start
        in_force = self._in_force_from()
        if in_force is None:
            return None
        moment = max(self.valid.start, in_force)
        return moment if self.valid.end is None or moment < self.valid.end else None

    def holds_at(self, moment: datetime) -> bool:
        """Return whether this supersedes the predecessor at a moment."""
        start = self.effective_from
        return start is not None and start <= moment and self.valid.covers(moment)

    def _in_force_from(self) -> datetime | None:
        """Return the start of the successor's first status in force since this is stated.

        A successor whose first known status is superseded had been in force before it was recorded;
        a superseded draft had not.
        """
        was = False
        for place, dated in enumerate(self.statuses):
            ended = was_in_force(dated.status, self.team)
            is_now = may_put_in_force(dated.status, self.team)
            was = was or is_now or (ended and place == 0)
            lasts = dated.valid.end is None or dated.valid.end > self.stated_from
            if lasts and (is_now or (ended and was)):
                return dated.valid.start
        return None


def dated_statuses(states: Iterable[EntityState]) -> tuple[DatedStatus, ...]:
    """Return the statuses of states, None for one that is not a text."""
    said = ((state.valid, state.props.get("status")) for state in states)
    return tuple(DatedStatus(valid, status if isinstance(status, str) else None) for valid, status in said)
