"""What an absent time means: now, as known by everything that is believed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from app.domain.temporal import require_offset
from app.errors import Invalid

# Later than any transaction time, however far a database's clock is ahead of this machine's.
EVERYTHING_KNOWN = datetime(9999, 12, 31, tzinfo=UTC)


# The very ends of the calendar stand for "always" in the database driver.
_ENDS = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))


def require_in_calendar(moment: datetime, field: str) -> datetime:
    """Answer the moment unchanged; raises Invalid without an offset, and at the ends of the calendar."""
    if not _ENDS[0] < require_offset(moment, field) < _ENDS[1]:
        raise Invalid(
            f"{field} lies after the first instant of year 1 and before the last of 9999", field=field
        )
    return moment


def present(ledger_clock: datetime) -> datetime:
    """Answer now; a ledger's clock may run ahead of this machine's, and what was just written exists now."""
    return max(datetime.now(UTC), ledger_clock)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_microseconds(moment: datetime) -> int:
    """Answer how many microseconds a moment comes after the start of 1970, exactly; before it, below zero."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(microseconds: int) -> datetime:
    """Answer the moment that comes so many microseconds after the start of 1970, UTC."""
    return _EPOCH + microseconds * _MICROSECOND


def rfc_3339(moment: datetime) -> str:
    """Answer an instant as people are told it: in UTC with a `Z`, its microseconds kept."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
