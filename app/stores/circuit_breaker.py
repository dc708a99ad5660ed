"""A circuit breaker: after several failures in a row, calls pause, then one at a time is tried."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic


class Breaker:
    """Opens after `failures` in a row; every `seconds` it allows one call, and a success closes it."""

    def __init__(
        self, failures: int = 3, seconds: float = 5.0, clock: Callable[[], float] = monotonic
    ) -> None:
        self._most = failures
        self._seconds = seconds
        self._clock = clock
        self._failures = 0
        self._tried_at = 0.0

    @property
    def is_open(self) -> bool:
        """Return whether the breaker blocks calls."""
        return self._failures >= self._most

    def allow_request(self) -> bool:
        """Return whether a call may be made now; the caller then reports success or failure."""
        if not self.is_open:
            return True
        if self._clock() - self._tried_at < self._seconds:
            return False
        self._tried_at = self._clock()
        return True

    def succeed(self) -> None:
        """Record that a call succeeded."""
        self._failures = 0

    def fail(self) -> None:
        """Record that a call failed."""
        self._failures += 1
        self._tried_at = self._clock()
