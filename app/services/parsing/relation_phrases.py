"""Sentences that state a relation, as status sections hold: "Superseded by ADR-9", "Amends ADR-7"."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from app.domain.entity import ReferenceType
from app.domain.text import fold
from app.services.parsing.dates import find_date, read_date
from app.services.parsing.inline import COVER
from app.services.parsing.mentions import WrittenMention
from app.services.parsing.vocabulary import Relation, field_key, relation_named, vocabulary

MAX_DISTANCE = 60
MAX_BARE_NUMBERS = 100

_SENTENCE_END = re.compile(r"[;.!?](?=\s|$)|\n[ \t]*\n")
_JOINED = re.compile(rf"(?:^|[,;&/+\n]|\band|\bor)[\s\[*_{COVER}]*(?:and|or)?[\s\[*_]*$", re.IGNORECASE)
_ONLY_MARKS = re.compile(rf"[\s:*_\[({COVER}-]*$")
_LABEL = (
    r"(?:\[![a-z]{2,20}\][+-]?|note|nb|notice|warning|important|caution|attention|danger|info|tip|update|edit|deprecated"
    r"|obsolete|historical|outdated|superseded|legacy)\b"
)
_SUBJECT = (
    r"(?:(?:this|it)\b(?:\s+(?:old|architecture|architectural|design|technical|decision))*"
    r"(?:\s+(?:adr|rfc|rfd|pep|kep|tep|eip|spec|specification|document|doc|decision|record|proposal|page|note|plan|policy"
    r"|guide|guideline|version|file|runbook|entry|standard|design|text))?\s+)?"
    r"(?:(?:is|was|has|have|had|been|being|now|since|also|formally|itself|hereby|entirely|fully|completely)\s+){0,4}"
)
_DATED = r"(?:\d{4}-\d{2}-\d{2}\W{0,4})?"
_DATE_BEFORE = re.compile(
    r"(?:^|\n)[^\w\n]*(?P<date>[\w][\w ,./-]{5,24}?)[*_)\]]{0,3}(?:\s*[:–—|]|\s+-)\s*[*_]{0,2}$"
)
"""A date with which the line of a relation begins: "2026-03-10: Superseded by ADR-9"."""

_LINE_START = re.compile(
    rf"(?:^|\n)[^\w\n]*{_DATED}(?:{_LABEL}[^\w\n]*){{0,2}}(?:status\b[^\n]*|{_SUBJECT})$", re.IGNORECASE
)
_PART_BEFORE = re.compile(
    r"[\s:*_(]*(?:(?:only|in)\s+)?(?:(?:the|this)\s+)?(?P<word>§|[a-z]+)", re.IGNORECASE
)
_PART_BEHIND = re.compile(
    r"[\s,;:(*_\])]{0,4}(?:(?:but\s)?(?:only\s)?(?:in part|partly|partially|§|(?:section|part|clause)s?\b"
    r"|except\b|apart from\b|for\s[^.;\n]{1,60}?\sonly\b|only\s(?:for|where|in)\b))",
    re.IGNORECASE,
)
_THIS = re.compile(
    r"[\s*_]{1,3}this\b(?:\s+(?:architecture|architectural|design|technical|decision))*"
    r"(?:\s+(?:adr|rfc|rfd|pep|kep|tep|eip|spec|specification|document|doc|decision|record|proposal|page|note|plan|policy"
    r"|guide|guideline|file|runbook|one))?(?P<part>\s+(?:in part|partly|partially))?[*_]{0,2}"
    r"(?=\s*(?:[.;:!)\]\n(]|,|$)|\s+(?:on|since|as of)\s)",
    re.IGNORECASE,
)
"""The document itself as what is superseded: "ADR-9 supersedes this record"."""

_LEADS = re.compile(
    r"[\s*_]*(?:(?:has|have|now|also|formally|since|fully|entirely|partly|partially)\s+){0,3}$"
)
_BARE_NUMBER = r"(?P<number>\d{1,6})(?![\w§]|[-/.:]\d)"
_NO_WORD = re.compile(r"\W+")
_DATE = (
    r"(?:(?:on|since|in|as of)\s)?(?:the\s)?(?:\d{4}(?:-\d{2}){0,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    r"|(?:\d{1,2}(?:st|nd|rd|th)?\s)?[a-z]{3,9}\.?\s(?:\d{1,2}(?:st|nd|rd|th)?,?\s)?\d{4})"
)
"""A date that parts the words of a relation: "superseded on 2 May 2026 by"."""

_LED = re.compile(r"(?:(?:on|since|in|as of)\s)?(?:the\s)?", re.IGNORECASE)
_DATE_BETWEEN = re.compile(rf"(?<=\W){_DATE}(?=\W)", re.IGNORECASE)
_DATE_BEHIND = re.compile(
    rf"[\s\])*_{COVER}]{{0,8}}(?:[(\[,:—–-]{{1,2}}\s?(?:(?:on|since|in|as of|from|effective)\s+){{0,2}}"
    r"|(?:(?:on|since|in|as of|from|effective)\s+){1,2})(?:the\s)?(?=\w)",
    re.IGNORECASE,
)
_DATE_OVER = re.compile(r"\s*(?:[)\].,;*_]|\n|$)")


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A relation stated in a sentence, where its words start and end, where its reach ends, and its date."""

    relation: Relation | None
    start: int
    end: int
    reach: int
    since: datetime | None


def stated_relations(
    text: str, mentions: list[WrittenMention], *, at_line_start: bool = False
) -> Iterator[tuple[Relation, WrittenMention, datetime | None]]:
    """Yield the relations a text states, with what each points at, and the date that it gives for that.

    "Partly superseded by" relates and supersedes nothing; "will be superseded by" states nothing. With
    `at_line_start` only lines that begin with the relation's words count.
    """
    starts = [mention.start for mention in mentions]
    for phrase in _phrases(text):
        before = text[max(0, phrase.start - MAX_DISTANCE) : phrase.start]
        if phrase.relation is not None and (by := _THIS.match(text, phrase.end)) is not None:
            yield from _passive(text, phrase, mentions, by, at_line_start=at_line_start)
            continue
        if phrase.relation is None or (at_line_start and not _starts_line(before)):
            continue
        within = mentions[bisect_left(starts, phrase.end) : bisect_left(starts, phrase.reach)]
        gap = text[phrase.end : within[0].start] if within else ""
        is_partial = _names_part(gap)
        if not within or not _is_near(gap, at_line_start and not is_partial):
            continue
        named = list(joined_run(text, within))
        of_all = (date_behind(text[named[-1].end :]) if named else None) or _date_before(before)
        for mention in named:
            since = phrase.since or date_behind(text[mention.end :]) or of_all
            partial = is_partial or _PART_BEHIND.match(text, mention.end) is not None
            supersedes = phrase.relation.type is ReferenceType.SUPERSEDES
            yield (_in_part(phrase.relation) if partial and supersedes else phrase.relation), mention, since


def _passive(
    text: str,
    phrase: _Phrase,
    mentions: list[WrittenMention],
    by: re.Match[str],
    *,
    at_line_start: bool,
) -> Iterator[tuple[Relation, WrittenMention, datetime | None]]:
    """Yield what another document does to this one: "ADR-9 supersedes this record"."""
    ends = [mention.end for mention in mentions]
    subject = mentions[bisect_right(ends, phrase.start) - 1] if bisect_right(ends, phrase.start) else None
    if subject is None or phrase.relation is None or phrase.relation.inverted:
        return
    before = text[max(0, subject.start - MAX_DISTANCE) : subject.start]
    clause = re.split(r"[;.(\n]", before)[-1]
    is_near = _LEADS.match(text[subject.end : phrase.start]) is not None
    if not is_near or _hedge_pattern().search(fold(clause)) or (at_line_start and not _starts_line(before)):
        return
    is_partial = by["part"] is not None or _PART_BEHIND.match(text, by.end()) is not None
    of_this = replace(phrase.relation, inverted=True)
    supersedes = phrase.relation.type is ReferenceType.SUPERSEDES
    since = phrase.since or date_behind(text[by.end() :]) or _date_before(before)
    yield (_in_part(of_this) if is_partial and supersedes else of_this), subject, since


def _in_part(relation: Relation) -> Relation:
    return Relation(ReferenceType.RELATES_TO, relation.inverted, in_part=True)


def _starts_line(before: str) -> bool:
    return _LINE_START.search(before) is not None or _date_before(before) is not None


def _date_before(before: str) -> datetime | None:
    """Return the date with which a line begins, if nothing but marks stands between it and what follows."""
    led = _DATE_BEFORE.search(before)
    found = None if led is None else find_date(led["date"])
    return found.moment if led is not None and found is not None and found.end == len(led["date"]) else None


def date_behind(text: str) -> datetime | None:
    """Return the date beside a relation, after what it names: "(2026-03-10)", "on 10 March 2026"."""
    led = _DATE_BEHIND.match(text)
    found = None if led is None else find_date(text[led.end() :])
    if led is None or found is None or not _DATE_OVER.match(text, led.end() + found.end):
        return None
    return found.moment


def _names_part(gap: str) -> bool:
    """Return whether the words before a target speak of a part of it: "section 3 of"."""
    match = _PART_BEFORE.match(gap)
    return match is not None and (match["word"] == "§" or match["word"].lower() in vocabulary().parts)


def bare_numbers(text: str, prefix: str | None) -> list[WrittenMention]:
    """Return the numbers of a document's own series that follow words of a relation: "superseded by 0303"."""
    if prefix is None:
        return []
    found: list[WrittenMention] = []
    for match in _relation_words(text):
        place = match.end()
        while (number := _next_number().match(text, place)) is not None and len(found) < MAX_BARE_NUMBERS:
            if not _is_year(number["number"]):
                spelled = f"{prefix}-{number['number']}"
                found.append(WrittenMention(number.start("number"), number.end("number"), spelled))
            place = number.end()
    return found


@cache
def _next_number() -> re.Pattern[str]:
    return re.compile(rf"[\s:*_#(]{{0,6}}(?:(?:,|and|&)[\s*_#]{{0,4}})?{_BARE_NUMBER}")


def _is_year(number: str) -> bool:
    return len(number) == 4 and number[0] != "0" and 1970 <= int(number) <= 2100


def joined_run(text: str, mentions: list[WrittenMention]) -> Iterator[WrittenMention]:
    """Yield the first mention and those a comma, "and" or line end joins to it.

    A mention in parentheses or after other words is a remark about them.
    """
    previous: WrittenMention | None = None
    remark = False
    for mention in mentions:
        gap = text[max(previous.end, mention.start - 40) : mention.start] if previous is not None else ""
        joined = _JOINED.search(gap) is not None
        remark = not joined or (remark and "\n" not in gap)
        if not remark:
            yield mention
        previous = mention


def is_denied(text: str) -> bool:
    """Return whether the words before what a text names take it back: "none", "not", "no longer"."""
    words = fold(text[-200:]).strip(f" .*_-{COVER}")
    return (
        words in vocabulary().nothing
        or _denial_pattern().match(words) is not None
        or bool(_hedge_pattern().search(words))
    )


def _is_near(gap: str, strict: bool) -> bool:
    return len(gap) <= MAX_DISTANCE and (not strict or _ONLY_MARKS.match(gap) is not None)


def _phrases(text: str) -> Iterator[_Phrase]:
    matches = list(_relation_words(text))
    starts = [match.start() for match in matches]
    for match, next_start in zip(matches, [*starts[1:], len(text)], strict=False):
        stop = _SENTENCE_END.search(text, match.end(), next_start)
        reach = stop.start() if stop else next_start
        between = _DATE_BETWEEN.search(match[0])
        since = None if between is None else read_date(_LED.sub("", between[0]))
        yield _Phrase(_relation_of(text, match), match.start(), match.end(), reach, since)


def _relation_of(text: str, match: re.Match[str]) -> Relation | None:
    clause = re.split(r"[;.,(\n]", text[max(0, match.start() - MAX_DISTANCE) : match.start()])[-1]
    words = fold(clause)
    if _hedge_pattern().search(words):
        return None
    relation = relation_named(_NO_WORD.sub(" ", _DATE_BETWEEN.sub(" ", match[0])))
    if relation is None or relation.type is not ReferenceType.SUPERSEDES:
        return relation  # What is amended in part is amended; what is superseded in part is not superseded.
    if words.endswith(vocabulary().reservations):
        return Relation(ReferenceType.RELATES_TO, relation.inverted)
    return _in_part(relation) if words.endswith(vocabulary().qualifiers) else relation


def _relation_words(text: str) -> Iterator[re.Match[str]]:
    """Yield where the words of a relation stand in a text, the longest that begin in a place."""
    place = 0
    for first in _first_words().finditer(text):
        if first.start() >= place:
            match = _words_from(fold(first[0])).match(text, first.start())
            if match is not None:
                yield match
                place = match.end()


@cache
def _first_words() -> re.Pattern[str]:
    words = {word.partition(" ")[0] for word in vocabulary().relation_words}
    return re.compile(
        rf"(?<!\w)(?:{'|'.join(sorted(words, key=len, reverse=True))})(?![^\W_])", re.IGNORECASE
    )


@cache
def _words_from(first: str) -> re.Pattern[str]:
    """Return the pattern of the relations with this first word; all of them together compile slowly."""
    words = tuple(word for word in vocabulary().relation_words if word.partition(" ")[0] == first)
    joint = r"[\s*_(,:—–-]{1,4}"
    return _words_pattern(words, rf"{joint}(?:{_DATE}[\s*_),:—–-]{{1,4}})?")


@cache
def _hedge_pattern() -> re.Pattern[str]:
    return _words_pattern(vocabulary().hedges)


@cache
def _denial_pattern() -> re.Pattern[str]:
    words = sorted((*vocabulary().nothing, *vocabulary().hedges), key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(re.escape(word) for word in words)})(?!\w)", re.IGNORECASE)


def _words_pattern(words: tuple[str, ...], joint: str = r"[\s*-]+") -> re.Pattern[str]:
    ordered = sorted(words, key=len, reverse=True)
    spelled = "|".join(re.escape(word).replace(r"\ ", joint) for word in ordered)
    return re.compile(rf"(?<!\w)(?:{spelled})(?!\w)", re.IGNORECASE)


MAX_ITEMS = 2_000

_LOOKS = re.compile(r"(?:super[sc]+e+d|supersess|replace[sdm]|replacement|obsolet|made obsolete)")


def relation_fields(fields: Mapping[str, object]) -> Iterator[tuple[Relation, object]]:
    """Yield the relations that header fields state, each with its targets as texts, lists or scalars."""
    for name, value in fields.items():
        relation = relation_named(name)
        if field_key(name) in vocabulary().containers and _is_nested(value):
            yield from _nested(value, relation)
        elif relation is not None:
            yield relation, _targets(value)


def _is_nested(value: object) -> bool:
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, dict) for item in items)


def _nested(value: object, otherwise: Relation | None) -> Iterator[tuple[Relation, object]]:
    for item in value[:MAX_ITEMS] if isinstance(value, list) else [value]:
        if not isinstance(item, dict):
            if otherwise is not None:
                yield otherwise, item
            continue
        keys = {field_key(name): inner for name, inner in item.items()}
        kind = next(
            (keys[name] for name in vocabulary().relation_keys if isinstance(keys.get(name), str)), None
        )
        relation = relation_named(kind) if isinstance(kind, str) else None
        if relation is not None:
            yield relation, _targets(item)
            continue
        named = [
            (found, inner) for name, inner in item.items() if (found := relation_named(name)) is not None
        ]
        yield from ((found, _targets(inner)) for found, inner in named)
        if not named and otherwise is not None:
            yield otherwise, _targets(item)


def _targets(value: object) -> object:
    """Return what a value names: of an object its id, number, path or title, else its keys."""
    if isinstance(value, list):
        return [_targets(item) for item in value[:MAX_ITEMS]]
    if not isinstance(value, dict):
        return value
    keys = {field_key(name): inner for name, inner in value.items()}
    named = next(
        (keys[name] for name in vocabulary().target_keys if keys.get(name) not in (None, "", [], {})), None
    )
    return _targets(named) if named is not None and not isinstance(named, dict) else value


def looks_like_relation(name: str) -> bool:
    """Return whether the name of a heading resembles that of a supersession."""
    return _LOOKS.match(name) is not None
