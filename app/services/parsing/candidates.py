"""Finding likely aliases and likely facts in free text, for a person to review."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from app.domain.artifact import AliasClaim, FactClaim, Quote
from app.domain.text import safe_cut
from app.services.parsing.blocks import Block, BlockKind
from app.services.parsing.context import Reading
from app.services.parsing.vocabulary import vocabulary

MAX_QUOTE_LENGTH = 300
MAX_OWNER_LENGTH = 200
"""Characters before a fact that are searched for the name of its subject."""
MAX_CANDIDATES = 200
"""More than this from one document is no help to the person who reviews them."""

_REST = r"(?:[\w.+-]{0,40}[\w+])?"
_NAME = rf"[A-Z]{_REST}(?: [A-Z0-9]{_REST}){{0,4}}"


def _any_name(role: str) -> str:
    """Return a pattern for a name in quotes, of capitalised words, or of one word."""
    quoted = rf"[\"“'‘](?P<{role}_quoted>[^\"”'’\n]{{2,80}})[\"”'’]"
    return rf"(?:{quoted}|(?P<{role}>{_NAME}|[\w.+-]{{1,40}}[\w+]))"


_ALIAS_PATTERNS = (
    rf"(?P<subject>{_NAME}),?\s\(?(?:which\s|that\s)?(?:is\s|was\s)?"
    rf"(?:formerly|previously)\s(?:known\sas|called|named)\s(?:the\s)?{_any_name('form')}",
    rf"(?P<form>{_NAME})\s\(now\s(?:called\s|known\sas\s|named\s)?(?P<subject>{_NAME})\)",
    rf"renamed\sfrom\s{_any_name('form')}\sto\s{_any_name('subject')}",
)
_ALIAS = tuple(re.compile(rf"(?<![\w.-]){pattern}") for pattern in _ALIAS_PATTERNS)
_TRIGGER = re.compile(
    r"(?:formerly|previously) (?:known|called|named)|\(now |renamed from|\bis now\b|\bchanged\b",
    re.IGNORECASE,
)
_TRIGGER_WORDS = ("formerly", "previously", "renamed", "now", "changed")
_LEADING = re.compile(r"^(?:(?:The|A|An|Our|This|That|In|Since|When|While|And|But|It) )+(?=\w)")
_OWNER = re.compile(rf"(?<![\w.-]){_any_name('subject')}(?:['’]s)?\s\Z")
_NO_VALUE = r"(?:a|also|an|being|called|in|known|named|not|the|using)\b"
_BOUNDARY = re.compile(r"[.!?](?=\s)|\n[ \t]*\n")


def read_candidates(reading: Reading) -> tuple[tuple[AliasClaim, ...], tuple[FactClaim, ...]]:
    """Return the likely aliases and facts in the prose, with the sentence and its place in the body."""
    aliases: list[AliasClaim] = []
    facts: list[FactClaim] = []
    lines: list[int] = []
    for block in reading.page.blocks:
        if len(aliases) == len(facts) == MAX_CANDIDATES:
            break
        if block.kind is not BlockKind.TEXT or block.quoted or not _triggers(block.content):
            continue
        lines = lines or _line_starts(reading.page.body)
        text = reading.prose(block).text
        for match in _matches(_ALIAS, text, MAX_CANDIDATES - len(aliases)):
            form, subject = _name(match, "form"), _name(match, "subject")
            if form and subject and form != subject:
                aliases.append(AliasClaim(form, subject, _quote(reading, block, lines, match)))
        for match in _matches((_fact(),), text, MAX_CANDIDATES - len(facts)):
            quote = _quote(reading, block, lines, match)
            about = _fact_subject(text, match) or None
            facts.append(FactClaim(match["property"].lower(), match["value"].strip(), quote, about))
    return tuple(aliases), tuple(facts)


def _matches(patterns: tuple[re.Pattern[str], ...], text: str, most: int) -> Iterator[re.Match[str]]:
    return islice((match for pattern in patterns for match in pattern.finditer(text)), most)


@cache
def _fact() -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in vocabulary().facts)
    verb = r"(?:is\snow|(?:was\s|has\s|has\sbeen\s)?changed(?:\sfrom\s[\w-]{1,40}(?:\s[\w-]{1,40})?)?\sto)"
    value = r"[\"“'‘]?(?P<value>[\w-]{1,40}(?:\.[\w-]{1,40}){0,3}(?:\s[A-Z][\w-]{0,40}){0,2})"
    of = rf"(?:\sof\s(?:the\s)?(?-i:{_any_name('subject')}))?"
    return re.compile(rf"(?<![\w-])(?i:(?P<property>{names}){of}\s{verb}\s(?!{_NO_VALUE})){value}")


def _fact_subject(text: str, match: re.Match[str]) -> str:
    """Return the subject of a fact: the owner of its property, or the name before it; "" without one."""
    if said := _name(match, "subject"):
        return said
    before = _OWNER.search(text, max(0, match.start() - MAX_OWNER_LENGTH), match.start())
    return "" if before is None else _name(before, "subject")


def _triggers(content: str) -> bool:
    folded = content.casefold()
    # An expression without case takes twenty times as long as these, and almost no text has any of them.
    if not any(word in folded for word in _TRIGGER_WORDS):
        return False
    return _TRIGGER.search(" ".join(content.split()) if "\n" in content else content) is not None


def _name(match: re.Match[str], role: str) -> str:
    groups = match.groupdict()
    words = groups.get(f"{role}_quoted") or groups.get(role) or ""
    return _LEADING.sub("", " ".join(words.split())).rstrip(".,-")


def _quote(reading: Reading, block: Block, lines: list[int], match: re.Match[str]) -> Quote:
    start, end = _sentence(block.content, match.start(), match.end())
    first = _place(reading.page.body, block, lines, start)
    last = _place(reading.page.body, block, lines, end - 1) + 1
    return Quote(reading.page.body[first:last], first)


def _sentence(content: str, start: int, end: int) -> tuple[int, int]:
    earliest = max(0, start - MAX_QUOTE_LENGTH)
    torn = safe_cut(content, earliest)
    first = max((ended.end() for ended in _BOUNDARY.finditer(content, earliest, start)), default=torn)
    stop = _BOUNDARY.search(content, end, end + MAX_QUOTE_LENGTH)
    last = stop.end() if stop else safe_cut(content, min(len(content), end + MAX_QUOTE_LENGTH))
    sentence = content[first:last]
    return first + len(sentence) - len(sentence.lstrip()), last - len(sentence) + len(sentence.rstrip())


def _line_starts(body: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", body))]


def _place(body: str, block: Block, lines: list[int], offset: int) -> int:
    """Return where in the body a character of a block's content stands, under list marks and indents."""
    before = block.content[:offset]
    row = before.count("\n")
    start_of_row = before.rfind("\n") + 1
    end_of_row = block.content.find("\n", offset)
    line = block.content[start_of_row : end_of_row if end_of_row >= 0 else None].strip()
    indent = len(block.content[start_of_row:]) - len(block.content[start_of_row:].lstrip(" \t"))
    source = lines[min(block.first_line + row, len(lines) - 1)]
    found = body.find(line, source)
    return (found if found >= 0 else source) + max(0, offset - start_of_row - indent)
