"""What this process's own clock reads, which confirms that of the database."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

# A virtual machine that slept for a weekend sets its clock forward, and is right.
MAX_STEP = timedelta(days=30)

_UPTIME = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def _wall() -> datetime:
    return datetime.now(UTC)


def _uptime() -> float:
    return time.clock_gettime(_UPTIME)


class WriterClock:
    """A clock in UTC that does not follow a step forward of the machine's clock by more than `MAX_STEP`.

    It measures from the moment it was made by what runs evenly, whatever the machine's clock is set to.
    `wall` returns the machine's time, `uptime` seconds that nobody sets.
    """

    def __init__(self, wall: Callable[[], datetime] = _wall, uptime: Callable[[], float] = _uptime) -> None:
        self._wall = wall
        self._uptime = uptime
        self._began = wall()
        self._began_up = uptime()

    def now(self) -> datetime:
        """Return the machine's time, or what it would be without the step."""
        steady = self._began + timedelta(seconds=self._uptime() - self._began_up)
        wall = self._wall()
        return steady if wall - steady > MAX_STEP else wall


WRITER_CLOCK = WriterClock()
