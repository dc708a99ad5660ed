"""Reading the status of a document, from its header, a `Status:` line or a section, and dates."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from app.domain.text import beginning, fold
from app.services.parsing.blocks import Block, BlockKind, Section
from app.services.parsing.context import Reading
from app.services.parsing.identity import leading_heading
from app.services.parsing.inline import COVER, plain_text
from app.services.parsing.text import texts_of
from app.services.parsing.vocabulary import vocabulary

SECTION = "status"
MAX_WORDS = 4
MAX_STATUS_LENGTH = 64

_STRUCK = re.compile(r"~~.*?~~", re.DOTALL)
_END = re.compile(r"[.;:,(\[{<\n|\d]|\s[-–—]\s|\s(?:by|on|in|with|as|since|for|per|see|until)\s")
_CHOICE = re.compile(r"\s*(?:\||/|,|\bor\b)\s*", re.IGNORECASE)


def read_status(reading: Reading) -> str | None:
    """Return the status in the document's own words, such as "Accepted" or "Partly superseded", or None."""
    for _, value in reading.by_role("status"):
        for text in texts_of(value):
            return status_in(text) or _warn_unreadable(text, reading.warnings)
    line = reading.opening_fields().get("status")
    if line:
        return status_in(line) or _warn_unreadable(line, reading.warnings)
    title = leading_heading(reading)
    for section in reading.sections:
        if section.name == SECTION and section.heading is not title:
            return _section_status(section, reading)
    return None


def status_in(text: str) -> str | None:
    """Return the leading words of a text that state a status; a list of choices states none."""
    words = plain_text(_STRUCK.sub("", text)[:400]).strip(f" *_{COVER}")
    known = _known_status(words)
    if known is not None:
        choice = _CHOICE.match(words, len(known))
        return None if choice and _known_status(words[choice.end() :].strip(" '\"")) else known
    end = _END.search(words, 1)
    lead = (words[: end.start()] if end else words).strip()
    is_short = len(lead) <= MAX_STATUS_LENGTH and len(lead.split()) <= MAX_WORDS
    return lead if lead[:1].isalpha() and is_short and not (end and end[0] == "|") else None


def _known_status(words: str) -> str | None:
    for status in vocabulary().statuses:
        head = words[: len(status)]
        if fold(head) == status and not words[len(status) : len(status) + 1].isalnum():
            return head
    return None


def _section_status(section: Section, reading: Reading) -> str | None:
    texts = [block for block in section.blocks if block.kind is BlockKind.TEXT and block.content.strip()]
    for block in texts:
        if not block.quoted and reading.prose(block).text.strip(f" \n{COVER}"):
            return status_in(block.content) or _warn_unreadable(block.content, reading.warnings)
    return _quoted_status(texts)


def _quoted_status(texts: list[Block]) -> str | None:
    """Return the status of a lone quote; any other quote is a template."""
    words = plain_text(texts[0].content[:100]).rstrip(".") if len(texts) == 1 else ""
    return words if _known_status(words) == words and words else None


def _warn_unreadable(text: str, warnings: list[str]) -> str | None:
    warnings.append(f"no status could be read from {beginning(plain_text(text[:200]), 80)!r}")
    return None


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
    """Return the instant that a date at the start of the text names, or None.

    A date without a time is the start of that day in UTC; a time without an offset is in UTC.
    Years before 1970 are taken for mistakes.
    """
    try:
        moment = _iso_date(text.strip()) or _named_month_date(text.strip())
    except (ValueError, OverflowError):
        return None
    return moment if moment is not None and moment.year >= EARLIEST_YEAR else None


def _iso_date(text: str) -> datetime | None:
    match = _ISO.match(text)
    if match is None:
        return None
    spelled = match["date"].replace("/", "-") + (match["time"] or "T00:00").replace(" ", "T")
    offset = (match["offset"] or "Z") if match["time"] else "Z"
    return datetime.fromisoformat(spelled.replace(",", ".") + offset.upper()).astimezone(UTC)


def _named_month_date(text: str) -> datetime | None:
    match = _DAY_FIRST.match(text) or _MONTH_FIRST.match(text)
    if match is None or match["month"].lower() not in _MONTHS:
        return None
    month = _MONTHS.index(match["month"].lower()) + 1
    return datetime(int(match["year"]), month, int(match["day"]), tzinfo=UTC)
