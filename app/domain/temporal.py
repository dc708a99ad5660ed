"""Bitemporal time: when a thing is true, and when it was believed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from app.errors import Invalid

UNKNOWN_BEGINNING = datetime(1, 1, 1, 12, tzinfo=UTC)
"""When a document begins if nobody knows when. The first day of the calendar means nothing else."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)

FIRST_MOMENT = datetime(1, 1, 2, tzinfo=UTC)
"""The first moment that a caller may name."""


def is_unknown(moment: datetime) -> bool:
    """Return whether a moment stands for an unknown beginning."""
    return moment < FIRST_MOMENT


def written_moment(text: str) -> datetime:
    """Return an ISO 8601 text as a moment in UTC, a plain date as the start of its day.

    One without an offset stays without. Raises ValueError for any other text.
    """
    moment = datetime.fromisoformat(f"{text}T00:00:00Z" if _DAY.fullmatch(text) else text)
    try:
        return moment if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(str(error)) from None


def known_moment(moment: datetime | None) -> datetime | None:
    """Return a moment if there is one, None if it stands for an unknown beginning."""
    return None if moment is None or is_unknown(moment) else moment


class Branch(StrEnum):
    """The one of an entity's two lines of states that a state belongs to."""

    COMMITTED = "COMMITTED"
    WIP = "WIP"


class WipSource(StrEnum):
    """The source of a draft."""

    SESSION_INTENT = "SESSION_INTENT"
    WORKING_TREE = "WORKING_TREE"
    EXPLICIT = "EXPLICIT"


def require_offset(moment: datetime, field: str) -> datetime:
    """Return the moment unchanged.

    Raises Invalid for a moment without an offset from UTC, which is no instant.
    """
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise Invalid(f"{field} needs an offset from UTC, as in 2026-01-31T09:00:00Z", field=field)
    return moment


@dataclass(frozen=True, slots=True)
class AsOf:
    """The pair of instants of a read: valid time, then transaction time."""

    valid: datetime
    known: datetime

    def __post_init__(self) -> None:
        require_offset(self.valid, "asOf")
        require_offset(self.known, "knownAt")


@dataclass(frozen=True, slots=True)
class Interval:
    """A half-open interval of time; an absent end means "still"."""

    start: datetime
    end: datetime | None = None

    def __post_init__(self) -> None:
        require_offset(self.start, "validFrom")
        if self.end is not None and require_offset(self.end, "validUntil") <= self.start:
            raise Invalid("an interval must end after it starts", field="validUntil")

    def covers(self, moment: datetime) -> bool:
        """Return whether the moment lies inside, the end excluded."""
        return self.start <= moment and (self.end is None or moment < self.end)


def find_gaps(start: datetime, covered: Iterable[Interval]) -> list[Interval]:
    """Return, in order, the parts of the time from a moment on that no interval covers."""
    missing = []
    for interval in sorted(covered, key=lambda each: each.start):
        if start < interval.start:
            missing.append(Interval(start, interval.start))
        if interval.end is None:
            return missing
        start = max(start, interval.end)
    return [*missing, Interval(start)]


def still_missing(held: Iterable[Interval], start: datetime, now: datetime) -> list[Interval]:
    """Return the intervals to add so that something stated from a moment on holds.

    A withdrawn thing that is stated again holds again from then on. A future end stays: a statement that it
    holds now does not extend it.
    """
    missing = find_gaps(start, held)
    return [each for each in missing if each.start == start or each.start <= now]


@dataclass(frozen=True, slots=True)
class EntityState:
    """The state of one entity over one interval of valid time."""

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

    `properties` are the names it sets; `draft` is the draft that it ended, if any.
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


# Later than any transaction time, however far a database's clock is ahead of this machine's.
EVERYTHING_KNOWN = datetime(9999, 12, 31, tzinfo=UTC)


# The very end of the calendar stands for "always" in the database driver.
_LAST_MOMENT = datetime.max.replace(tzinfo=UTC)


def require_in_calendar(moment: datetime, field: str) -> datetime:
    """Return the moment unchanged; raise Invalid without an offset, and at the ends of the calendar."""
    if not FIRST_MOMENT <= require_offset(moment, field) < _LAST_MOMENT:
        raise Invalid(
            f"{field} must be after the first day of year 1 and before the last instant of 9999", field=field
        )
    return moment


def present(ledger_clock: datetime) -> datetime:
    """Return the later of now and the ledger's clock, so that what was just written exists now."""
    return max(datetime.now(UTC), ledger_clock)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_microseconds(moment: datetime) -> int:
    """Return how many microseconds a moment comes after the start of 1970, exactly; before it, below zero."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(microseconds: int) -> datetime:
    """Return the moment that comes so many microseconds after the start of 1970, UTC."""
    return _EPOCH + microseconds * _MICROSECOND


def rfc_3339(moment: datetime) -> str:
    """Return an instant in RFC 3339 form: in UTC with a `Z`, with its microseconds."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


# An open end sorts after every moment.
_NEVER = datetime.max.replace(tzinfo=UTC)


def merge_intervals(spans: Iterable[Interval]) -> list[Interval]:
    """Return the union of these intervals, with adjacent ones merged."""
    found: list[Interval] = []
    for span in sorted(spans, key=lambda span: (span.start, _end(span))):
        if found and span.start <= _end(found[-1]):
            found[-1] = _interval(found[-1].start, max(_end(found[-1]), _end(span)))
        else:
            found.append(span)
    return found


def subtract_intervals(span: Interval, taken: Iterable[Interval]) -> list[Interval]:
    """Return the parts of an interval that the others do not cover."""
    left = [span]
    for each in taken:
        left = [rest for part in left for rest in _subtract_one(part, each)]
    return left


def _subtract_one(part: Interval, taken: Interval) -> list[Interval]:
    before = (part.start, min(_end(part), taken.start))
    after = (max(part.start, _end(taken)), _end(part))
    return [_interval(start, end) for start, end in (before, after) if start < end]


def part_after(span: Interval, start: datetime) -> list[Interval]:
    """Return the part of an interval at or after a moment."""
    begins = max(span.start, start)
    return [_interval(begins, _end(span))] if begins < _end(span) else []


def _end(span: Interval) -> datetime:
    return _NEVER if span.end is None else span.end


def _interval(start: datetime, end: datetime) -> Interval:
    return Interval(start, None if end == _NEVER else end)
