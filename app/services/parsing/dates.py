"""Dates as headers write them, brought to one instant in UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime

EARLIEST_YEAR = 1970

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO = re.compile(
    r"(?P<date>\d{4}[-/]\d{2}[-/]\d{2})"
    r"(?P<time>[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?[ ]?(?P<offset>Z|[+-]\d{2}:?\d{2})?(?!\d)",
    re.ASCII | re.IGNORECASE,
)
_DAY_FIRST = re.compile(
    r"(?P<day>\d{1,2})[- ](?P<month>[a-z]{3})[a-z]*\.?[-, ]{1,2}(?P<year>\d{4})(?!\d)",
    re.ASCII | re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    r"(?P<month>[a-z]{3})[a-z]*\.? (?P<day>\d{1,2}),? (?P<year>\d{4})(?!\d)", re.ASCII | re.IGNORECASE
)


def read_date(text: str) -> datetime | None:
    """Answer the instant that a date at the start of the text names, or None.

    A date without a time is the start of that day in UTC; a time without an offset is in UTC.
    Years before 1970 are taken for mistakes.
    """
    try:
        moment = _iso(text.strip()) or _with_month_name(text.strip())
    except (ValueError, OverflowError):
        return None
    return moment if moment is not None and moment.year >= EARLIEST_YEAR else None


def _iso(text: str) -> datetime | None:
    match = _ISO.match(text)
    if match is None:
        return None
    spelled = match["date"].replace("/", "-") + (match["time"] or "T00:00").replace(" ", "T")
    offset = (match["offset"] or "Z") if match["time"] else "Z"
    return datetime.fromisoformat(spelled.replace(",", ".") + offset.upper()).astimezone(UTC)


def _with_month_name(text: str) -> datetime | None:
    match = _DAY_FIRST.match(text) or _MONTH_FIRST.match(text)
    if match is None or match["month"].lower() not in _MONTHS:
        return None
    month = _MONTHS.index(match["month"].lower()) + 1
    return datetime(int(match["year"]), month, int(match["day"]), tzinfo=UTC)
