"""Time as Trigraph keeps it: when a thing is true, and when it was believed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from app.errors import Invalid


class Branch(StrEnum):
    """Which of an entity's two lines of states a state belongs to."""

    COMMITTED = "COMMITTED"
    WIP = "WIP"


class WipSource(StrEnum):
    """Where a draft comes from."""

    SESSION_INTENT = "SESSION_INTENT"
    WORKING_TREE = "WORKING_TREE"
    EXPLICIT = "EXPLICIT"


def require_offset(moment: datetime, field: str) -> datetime:
    """Answer the moment unchanged.

    Raises Invalid when it says no offset from UTC, since such a time names no instant.
    """
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise Invalid(f"{field} needs an offset from UTC, as in 2026-01-31T09:00:00Z", field=field)
    return moment


@dataclass(frozen=True, slots=True)
class AsOf:
    """The pair of instants a read is taken at: valid time, then transaction time."""

    valid: datetime
    known: datetime

    def __post_init__(self) -> None:
        require_offset(self.valid, "asOf")
        require_offset(self.known, "knownAt")


@dataclass(frozen=True, slots=True)
class Interval:
    """A half-open stretch of time; an absent end means "still"."""

    start: datetime
    end: datetime | None = None

    def __post_init__(self) -> None:
        require_offset(self.start, "validFrom")
        if self.end is not None and require_offset(self.end, "validUntil") <= self.start:
            raise Invalid("an interval must end after it starts", field="validUntil")

    def covers(self, moment: datetime) -> bool:
        """Tell whether the moment lies inside, the end excluded."""
        return self.start <= moment and (self.end is None or moment < self.end)


def uncovered(start: datetime, covered: Iterable[Interval]) -> list[Interval]:
    """Answer, in order, what no interval covers of the time from a moment on; none overlaps another."""
    missing = []
    for interval in sorted(covered, key=lambda each: each.start):
        if start < interval.start:
            missing.append(Interval(start, interval.start))
        if interval.end is None:
            return missing
        start = max(start, interval.end)
    return [*missing, Interval(start)]


def still_missing(held: Iterable[Interval], start: datetime, now: datetime) -> list[Interval]:
    """Answer when something that is stated from a moment on does not hold, by when it is held to.

    What was withdrawn and is stated again holds again from then on. What will end at a later day stays so:
    who says now that it holds says no more of that.
    """
    missing = uncovered(start, held)
    return [each for each in missing if each.start == start or each.start <= now]


@dataclass(frozen=True, slots=True)
class EntityState:
    """What was believed of one entity over one stretch of valid time."""

    id: UUID
    entity: UUID
    branch: Branch
    valid: Interval
    recorded_at: datetime
    retracted_at: datetime | None
    props: dict[str, Any]
    source_artifact: UUID | None
    actor: str
    wip_source: WipSource | None = None


@dataclass(frozen=True, slots=True)
class StateEvent:
    """The step from one state to the one that replaced it.

    `properties` are the names it speaks of; `draft` is the draft that it ended, if any.
    """

    id: UUID
    from_state: UUID | None
    to_state: UUID
    event_type: str
    at: datetime
    recorded_at: datetime
    cause_artifact: UUID | None
    cause_commit: str | None
    description: str | None
    props_drift: bool | None
    actor: str
    properties: tuple[str, ...] = ()
    draft: UUID | None = None
