"""What an absent time means: now, as known by everything that is believed."""

from __future__ import annotations

from datetime import UTC, datetime

from app.domain.temporal import AsOf

# Later than any transaction time, however far a database's clock is ahead of this machine's.
EVERYTHING_KNOWN = datetime(9999, 12, 31, tzinfo=UTC)


def instant(as_of: datetime | None) -> datetime:
    """Answer the asked instant, or now."""
    return as_of or datetime.now(UTC)


def moment(as_of: datetime | None, known_at: datetime | None) -> AsOf:
    """Answer the asked moment; without `known_at`, by all that is believed."""
    return AsOf(instant(as_of), known_at or EVERYTHING_KNOWN)
