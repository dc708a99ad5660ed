"""Stretches of time, joined and taken from each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from app.domain.temporal import Interval

# An open end sorts after every moment.
_NEVER = datetime.max.replace(tzinfo=UTC)


def joined(spans: Iterable[Interval]) -> list[Interval]:
    """Answer what these stretches cover together, those that touch as one."""
    found: list[Interval] = []
    for span in sorted(spans, key=lambda span: (span.start, _end(span))):
        if found and span.start <= _end(found[-1]):
            found[-1] = _interval(found[-1].start, max(_end(found[-1]), _end(span)))
        else:
            found.append(span)
    return found


def without(span: Interval, taken: Iterable[Interval]) -> list[Interval]:
    """Answer what is left of a stretch when others are taken from it."""
    left = [span]
    for each in taken:
        left = [rest for part in left for rest in _cut(part, each)]
    return left


def _cut(part: Interval, taken: Interval) -> list[Interval]:
    before = (part.start, min(_end(part), taken.start))
    after = (max(part.start, _end(taken)), _end(part))
    return [_interval(start, end) for start, end in (before, after) if start < end]


def after(span: Interval, start: datetime) -> list[Interval]:
    """Answer what of a stretch lies at or after a moment."""
    begins = max(span.start, start)
    return [_interval(begins, _end(span))] if begins < _end(span) else []


def _end(span: Interval) -> datetime:
    return _NEVER if span.end is None else span.end


def _interval(start: datetime, end: datetime) -> Interval:
    return Interval(start, None if end == _NEVER else end)
