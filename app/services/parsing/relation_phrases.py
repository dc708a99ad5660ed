"""Sentences that state a relation, as status sections hold: "Superseded by ADR-9", "Amends ADR-7"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from app.domain.entity import ReferenceType
from app.domain.text import fold
from app.services.parsing.inline import COVER
from app.services.parsing.mentions import WrittenMention
from app.services.parsing.vocabulary import Relation, relation_named, vocabulary

MAX_DISTANCE = 60

_SENTENCE_END = re.compile(r"[;.!?](?=\s|$)|\n[ \t]*\n")
_JOINED = re.compile(rf"(?:^|[,;&/+\n]|\band|\bor)[\s\[*_{COVER}]*(?:and|or)?[\s\[*_]*$", re.IGNORECASE)
_ONLY_MARKS = re.compile(rf"[\s:*_\[({COVER}-]*$")
_LINE_START = re.compile(r"(?:^|\n)[\s*_+-]*(?:status\b[^\n]*)?$", re.IGNORECASE)
_RELATED = Relation(ReferenceType.RELATES_TO)


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A relation stated in a sentence, where its words start and end, and where its reach ends."""

    relation: Relation | None
    start: int
    end: int
    reach: int


def stated_relations(
    text: str, mentions: list[WrittenMention], *, at_line_start: bool = False
) -> Iterator[tuple[Relation, WrittenMention]]:
    """Yield the relations a text states, with what each points at.

    "Partly superseded by" relates and supersedes nothing; "will be superseded by" states nothing. With
    `at_line_start` only lines that begin with the relation's words count.
    """
    starts = [mention.start for mention in mentions]
    for phrase in _phrases(text):
        before = text[max(0, phrase.start - MAX_DISTANCE) : phrase.start]
        if phrase.relation is None or (at_line_start and not _LINE_START.search(before)):
            continue
        within = mentions[bisect_left(starts, phrase.end) : bisect_left(starts, phrase.reach)]
        if not within or not _is_near(text[phrase.end : within[0].start], at_line_start):
            continue
        for mention in joined_run(text, within):
            yield phrase.relation, mention


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
    matches = list(_relation_words().finditer(text))
    starts = [match.start() for match in matches]
    for match, next_start in zip(matches, [*starts[1:], len(text)], strict=False):
        stop = _SENTENCE_END.search(text, match.end(), next_start)
        reach = stop.start() if stop else next_start
        yield _Phrase(_relation_of(text, match), match.start(), match.end(), reach)


def _relation_of(text: str, match: re.Match[str]) -> Relation | None:
    clause = re.split(r"[;.,\n]", text[max(0, match.start() - MAX_DISTANCE) : match.start()])[-1]
    words = fold(clause)
    if _hedge_pattern().search(words):
        return None
    if words.endswith(vocabulary().qualifiers):
        return _RELATED
    return relation_named(" ".join(match[0].replace("*", " ").split()))


@cache
def _relation_words() -> re.Pattern[str]:
    return _words_pattern(tuple(vocabulary().relations))


@cache
def _hedge_pattern() -> re.Pattern[str]:
    return _words_pattern(vocabulary().hedges)


@cache
def _denial_pattern() -> re.Pattern[str]:
    words = sorted((*vocabulary().nothing, *vocabulary().hedges), key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(re.escape(word) for word in words)})(?!\w)", re.IGNORECASE)


def _words_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    ordered = sorted(words, key=len, reverse=True)
    spelled = "|".join(re.escape(word).replace(r"\ ", r"[\s*-]+") for word in ordered)
    return re.compile(rf"(?<!\w)(?:{spelled})(?!\w)", re.IGNORECASE)
