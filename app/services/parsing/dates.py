"""Reading dates in the forms that people write them, with how exact each is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import PurePosixPath

from app.domain.artifact import DatePrecision
from app.services.parsing.inline import plain_text

EARLIEST_YEAR = 1970
MAX_DATE_LENGTH = 120

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = (
    "january february march april may june july august september october november december"
    " jan feb mar apr jun jul aug sep sept oct nov dec"
)
_MONTH = rf"(?P<month>{'|'.join(sorted(_NAMES.split(), key=len, reverse=True))})\.?"
_YEAR = r"(?P<year>\d{4})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_FLAGS = re.ASCII | re.IGNORECASE
_WEEKDAY = re.compile(
    r"(?:on |the )?(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+(?:the )?"
    r"|(?:(?:on|the)\s+){1,2}",
    _FLAGS,
)
_TIME = re.compile(
    r"(?:[Tt]|,?[ \t]+(?:at[ \t]+)?)(?P<time>\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)"
    r"[ ]?(?P<offset>[Zz](?!\w)|UTC(?![+-]\d|\w)|GMT(?![+-]\d|\w)|[+-]\d{2}:?\d{2}(?!\d))?"
    r"(?P<zone>[ ]?(?:\((?:[A-Z]{2,5})\)"
    r"|[A-Z]{2,5}(?:[+-]\d{1,2}(?::?\d{2})?)?|[A-Z][a-z]+/[A-Z]\w+)(?!\w))?",
    re.ASCII,
)
_FORMS = tuple(
    (re.compile(pattern, _FLAGS), precision)
    for pattern, precision in (
        (rf"{_YEAR}(?P<joint>[-/._])(?P<number>\d{{1,2}})(?P=joint){_DAY}(?!\d)", DatePrecision.DAY),
        (rf"{_YEAR}年(?P<number>\d{{1,2}})月(?P<day>\d{{1,2}})日", DatePrecision.DAY),
        (r"(?P<year>(?:19|20)\d{2})(?P<number>[01]\d)(?P<day>[0-3]\d)(?!\d)", DatePrecision.DAY),
        (rf"{_DAY}(?:[-/ ]|\. ?)(?:of )?{_MONTH}(?:[-/, ]{{1,2}}|\. ){_YEAR}(?!\d)", DatePrecision.DAY),
        (rf"{_MONTH}[- ]{_DAY}(?:, ?| |-){_YEAR}(?!\d)", DatePrecision.DAY),
        (rf"{_YEAR}[-/ ]{_MONTH}[-/ ]{_DAY}(?!\d)", DatePrecision.DAY),
        (rf"{_DAY}\.(?P<number>\d{{1,2}})\.{_YEAR}(?!\d)", DatePrecision.DAY),
        (rf"{_YEAR}-?W(?P<week>\d{{1,2}})(?!\d)", DatePrecision.WEEK),
        (rf"{_YEAR}[- ]?Q(?P<quarter>[1-4])(?!\d)", DatePrecision.QUARTER),
        (rf"Q(?P<quarter>[1-4])[-/ ]{_YEAR}(?!\d)", DatePrecision.QUARTER),
        (rf"{_MONTH},? {_YEAR}(?!\d)", DatePrecision.MONTH),
        (rf"{_YEAR}[-/.](?P<number>\d{{2}})(?![\d-]*\d)", DatePrecision.MONTH),
        (rf"{_YEAR}[- ]{_MONTH}(?!\w)", DatePrecision.MONTH),
        (rf"{_YEAR}(?![\w/.-]*\d)(?!\w)", DatePrecision.YEAR),
    )
)
_BYLINE = re.compile(
    r"\b(?:last\s+)?(?:created|modified|updated|changed|edited|revised|published|posted|written|drafted)\s+"
    r"(?:by\s+[^,\n]{1,80}?\s+)?on:?\s+(?=\S)",
    re.IGNORECASE,
)
_FILE_SEPARATOR = re.compile(r"[-_. ]|$")
_FOLDERS = re.compile(r"(?:.*/)?(?P<date>\d{4}/\d{1,2}/\d{1,2})")
_FOLDER_MONTH = re.compile(r"(?:.*/)?(?P<date>\d{4}/\d{2})")
_DAY_OF_FOLDER = re.compile(r"(?P<day>\d{1,2})(?:[-_. ]|$)")


@dataclass(frozen=True, slots=True)
class DateReading:
    """A date that a text begins with: its instant, how exact it is, and where it ends.

    `zone` is the name of a time zone that was not read, so that the time beside it counts for nothing.
    """

    moment: datetime
    precision: DatePrecision
    end: int
    zone: str | None = None


def read_date(text: str) -> datetime | None:
    """Return the instant that a date at the start of the text names, or None.

    A date without a time is the start of that day in UTC; a time without an offset is in UTC.
    Years before 1970 are taken for mistakes.
    """
    found = find_date(text.strip())
    return None if found is None else found.moment


def find_date(text: str) -> DateReading | None:
    """Return the date at the start of a text with its precision, or None; see `read_date`."""
    text = text[:MAX_DATE_LENGTH]
    weekday = _WEEKDAY.match(text)
    start = weekday.end() if weekday else 0
    for pattern, precision in _FORMS:
        match = pattern.match(text, start)
        if match is not None:
            return _reading(text, match, precision)
    return None


def whole_date(text: str) -> DateReading | None:
    """Return the date that a text consists of, beside marks, or None when it says more."""
    words = plain_text(text[:MAX_DATE_LENGTH]).strip(" *_()[].,")
    found = find_date(words)
    return found if found is not None and not words[found.end :].strip() else None


def date_of_byline(line: str) -> DateReading | None:
    """Return the last date of a line such as "Created by Ada, last modified on May 12, 2026", or None."""
    bylines = list(_BYLINE.finditer(line[:400]))
    return find_date(plain_text(line[bylines[-1].end() : 400])) if bylines else None


def _reading(text: str, match: re.Match[str], precision: DatePrecision) -> DateReading | None:
    try:
        day = _day(match.groupdict(), precision)
    except ValueError:
        return None
    if day.year < EARLIEST_YEAR:
        return None
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    timed = _TIME.match(text, match.end()) if precision is DatePrecision.DAY else None
    if timed is None:
        return DateReading(start, precision, match.end())
    if timed["zone"] is not None and timed["offset"] is None:
        return DateReading(start, precision, timed.end(), timed["zone"].strip(" ()"))
    try:
        moment = _at_time(day, timed)
    except (ValueError, OverflowError):
        return None
    if moment.year < EARLIEST_YEAR:
        return None
    return DateReading(moment, DatePrecision.INSTANT, timed.end())


def _day(parts: dict[str, str | None], precision: DatePrecision) -> date:
    year = int(parts["year"] or 0)
    if precision is DatePrecision.WEEK:
        return date.fromisocalendar(year, int(parts["week"] or 0), 1)
    if precision is DatePrecision.QUARTER:
        return date(year, 3 * int(parts["quarter"] or 0) - 2, 1)
    if precision is DatePrecision.YEAR:
        return date(year, 1, 1)
    name = parts.get("month")
    month = _MONTHS.index(name[:3].lower()) + 1 if name else int(parts["number"] or 0)
    return date(year, month, int(parts.get("day") or 1))


def _at_time(day: date, timed: re.Match[str]) -> datetime:
    hours, _, rest = timed["time"].replace(",", ".").partition(":")
    offset = timed["offset"] or "Z"
    offset = "Z" if offset.upper() in ("Z", "UTC", "GMT") else offset
    return datetime.fromisoformat(f"{day.isoformat()}T{hours:0>2}:{rest}{offset}").astimezone(UTC)


def date_of_path(path: str) -> DateReading | None:
    """Return the date that a file's name begins with, or that it has with its folders, as 2026/04/02.md.

    A year alone is no date of a file: a roadmap of 2026 is older than the year.
    """
    name = PurePosixPath(path).stem
    found = find_date(name)
    if found is not None and found.precision is not DatePrecision.YEAR:
        return found if _FILE_SEPARATOR.match(name, found.end) else None
    folder = str(PurePosixPath(path).parent)
    month, day = _FOLDER_MONTH.fullmatch(folder), _DAY_OF_FOLDER.match(name)
    if month is not None and day is not None:
        return find_date(f"{month['date']}/{day['day']}")
    dated = _FOLDERS.fullmatch(folder)
    return None if dated is None else find_date(dated["date"])
