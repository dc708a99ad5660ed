"""The status a document states: in its header, in a `Status:` line or in a section of that name."""

from __future__ import annotations

import re

from app.domain.graphemes import beginning
from app.domain.surface_form import fold
from app.services.parsing.blocks import Block, BlockKind
from app.services.parsing.identity import leading_heading
from app.services.parsing.outline import Section
from app.services.parsing.prose import COVER, plain_text
from app.services.parsing.reading import Reading
from app.services.parsing.values import texts_of
from app.services.parsing.vocabulary import vocabulary

SECTION = "status"
MOST_WORDS = 4
LONGEST_STATUS = 64

_STRUCK = re.compile(r"~~.*?~~", re.DOTALL)
_END = re.compile(r"[.;:,(\[{<\n|\d]|\s[-–—]\s|\s(?:by|on|in|with|as|since|for|per|see|until)\s")
_CHOICE = re.compile(r"\s*(?:\||/|,|\bor\b)\s*", re.IGNORECASE)


def read_status(reading: Reading) -> str | None:
    """Answer the status in the document's own words, such as "Accepted" or "Partly superseded", or None."""
    for _, value in reading.by_role("status"):
        for text in texts_of(value):
            return status_in(text) or _unread(text, reading.warnings)
    line = reading.opening_fields().get("status")
    if line:
        return status_in(line) or _unread(line, reading.warnings)
    title = leading_heading(reading)
    for section in reading.sections:
        if section.name == SECTION and section.heading is not title:
            return _section_status(section, reading)
    return None


def status_in(text: str) -> str | None:
    """Answer the leading words of a text that state a status; a list of choices states none."""
    words = plain_text(_STRUCK.sub("", text)[:400]).strip(f" *_{COVER}")
    known = _known_status(words)
    if known is not None:
        choice = _CHOICE.match(words, len(known))
        return None if choice and _known_status(words[choice.end() :].strip(" '\"")) else known
    end = _END.search(words, 1)
    lead = (words[: end.start()] if end else words).strip()
    is_short = len(lead) <= LONGEST_STATUS and len(lead.split()) <= MOST_WORDS
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
            return status_in(block.content) or _unread(block.content, reading.warnings)
    return _quoted_status(texts)


def _quoted_status(texts: list[Block]) -> str | None:
    """A quote is a template unless it is one status and nothing else."""
    words = plain_text(texts[0].content[:100]).rstrip(".") if len(texts) == 1 else ""
    return words if _known_status(words) == words and words else None


def _unread(text: str, warnings: list[str]) -> str | None:
    warnings.append(f"no status could be read from {beginning(plain_text(text[:200]), 80)!r}")
    return None
