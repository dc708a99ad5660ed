"""What an absent time means: now, as known by everything that is believed."""

from __future__ import annotations

from datetime import UTC, datetime

# Later than any transaction time, however far a database's clock is ahead of this machine's.
EVERYTHING_KNOWN = datetime(9999, 12, 31, tzinfo=UTC)


def present(ledger_clock: datetime) -> datetime:
    """Answer now; a ledger's clock may run ahead of this machine's, and what was just written exists now."""
    return max(datetime.now(UTC), ledger_clock)
