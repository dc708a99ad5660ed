"""A breaker: what failed several times in a row is let be for a while, and then tried by one at a time."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic


class Breaker:
    """Opens after `failures` in a row; every `seconds` one call is let through, and its success closes it."""

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
        """Return whether calls are kept from what fails."""
        return self._failures >= self._most

    def lets_through(self) -> bool:
        """Return whether a call may be made now; who is let through tells what came of it."""
        if not self.is_open:
            return True
        if self._clock() - self._tried_at < self._seconds:
            return False
        self._tried_at = self._clock()
        return True

    def succeed(self) -> None:
        """Note that a call was answered."""
        self._failures = 0

    def fail(self) -> None:
        """Note that a call was not answered."""
        self._failures += 1
        self._tried_at = self._clock()
