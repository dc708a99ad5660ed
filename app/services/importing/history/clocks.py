"""Clocks of commits, which may be off: time never goes back along a line, nor past the present. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime


def line_times(seconds: Iterable[int], now: datetime) -> list[datetime]:
    """Answer when each commit of a line counts from, given what their clocks said since 1970.

    One that is older than its parent counts from its parent's moment, and so does one from the future or
    from before 1970; those at the start of the line, from the first moment that can be.
    """
    stated = [_moment(each, now) for each in seconds]
    latest = next((moment for moment in stated if moment is not None), now)
    times = []
    for moment in stated:
        latest = latest if moment is None else max(latest, moment)
        times.append(latest)
    return times


def _moment(seconds: int, now: datetime) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if 0 < seconds <= now.timestamp() else None
