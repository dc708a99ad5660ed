"""Cutting bodies along headings and paragraphs into passages that fit an encoder."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from app.domain.artifact import Passage
from app.domain.text import beginning
from app.services.parsing.blocks import Block, read_page
from app.services.parsing.embedding_text import JOINT, context_lines, fits_heading
from app.services.parsing.inline import plain_text
from app.services.parsing.token_spans import (
    MAX_TEXT_LENGTH,
    PieceOffsets,
    Pieces,
    Stretch,
    split_stretch,
    tears_word,
)

MIN_PART_LENGTH = 96
"""A part with this many characters stands alone: about 24 word pieces."""


@dataclass(frozen=True, slots=True)
class Part:
    """Neighbouring stretches of a body under one path of headings, outermost first.

    `title` holds the headings that begin with it, which are text as well once the part is joined to another.
    """

    path: tuple[str, ...]
    title: tuple[Stretch, ...]
    stretches: tuple[Stretch, ...]

    @property
    def heading(self) -> str | None:
        """The path in one line."""
        return JOINT.join(self.path) or None

    @property
    def size(self) -> int:
        """How many characters it has beside its headings."""
        return sum(end - start for start, end in self.stretches)

    def followed_by(self, stretches: Sequence[Stretch]) -> Part:
        """Return the part with more text at its end."""
        return replace(self, stretches=(*self.stretches, *stretches))


def join_small(parts: Sequence[Part]) -> list[Part]:
    """Join each part that is too small with the parts after it until the result is large enough.

    Small parts at the end join the part before them.
    """
    joined: list[list[Part]] = []
    for part in parts:
        if joined and _size(joined[-1]) < MIN_PART_LENGTH:
            joined[-1].append(part)
        else:
            joined.append([part])
    if len(joined) > 1 and _size(joined[-1]) < MIN_PART_LENGTH:
        last = joined.pop()
        joined[-1].extend(last)
    return [_merge(group) for group in joined]


def _size(group: Sequence[Part]) -> int:
    return sum(part.size for part in group)


def _merge(group: Sequence[Part]) -> Part:
    """Return a group as one part, under the path of its one large part, or else of them all."""
    if len(group) == 1:
        return group[0]
    stretches = [stretch for part in group for stretch in (*part.title, *part.stretches)]
    large = [part for part in group if part.size >= MIN_PART_LENGTH]
    path = large[0].path if len(large) == 1 else _common_path([part.path for part in group])
    return Part(path, (), tuple(sorted(set(stretches))))


def _common_path(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    levels = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    return tuple(names[0] for names in levels)


MAX_NAME_LENGTH = 120

_WORDS = re.compile(r"[^\W_]|[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading, absent above the first, the stretch it takes, and those of its own text."""

    heading: Block | None
    title: list[Stretch]
    text: list[Stretch]


def read_parts(body: str) -> list[Part]:
    """Cut a body into parts that all have words.

    A heading above words belongs to their path. A section without words in it or under it becomes the end
    of the part before it, with its heading, or the start of the first part. A heading too long for a path is
    text as well. Parts of a few words are joined with their neighbours.
    """
    parts: list[Part] = []
    wordless: list[Stretch] = []
    tail: list[Stretch] = []
    above: list[Stretch] = []
    path: list[tuple[int, str]] = []
    sections = _sections(body)
    worded = [any(_WORDS.search(body, start, end) for start, end in section.text) for section in sections]
    for section, has_words, leads_on in zip(sections, worded, _leading_flags(sections, worded), strict=True):
        name = _enter(path, section.heading)
        shown = [] if fits_heading(name) else section.title
        if has_words:
            names = tuple(name for _, name in path)
            title = (*above, *section.title)
            parts[-1:] = [part.followed_by(tail) for part in parts[-1:]]
            parts.append(Part(names, title, (*wordless, *shown, *section.text)))
            wordless, above, tail = [], [], []
            continue
        rest = (*(shown if leads_on else section.title), *section.text)
        above.extend(section.title if leads_on else [])
        (tail if parts else wordless).extend(rest)
    parts[-1:] = [part.followed_by(tail) for part in parts[-1:]]
    return join_small(parts) if parts else [Part((), (), tuple(wordless))] if wordless else []


def _enter(path: list[tuple[int, str]], heading: Block | None) -> str:
    """Enter a section: drop the headings that ended, add this one, and return its name."""
    if heading is None:
        return ""
    while path and path[-1][0] >= heading.level:
        path.pop()
    name = plain_text(heading.content)
    path.append((heading.level, beginning(name, MAX_NAME_LENGTH)))
    return name


def _leading_flags(sections: list[_Section], worded: list[bool]) -> list[bool]:
    """Return for each section whether a section below it, before the next of its level, has words."""
    leads: list[bool] = []
    open_below: list[tuple[int, bool]] = []
    for section, has_words in zip(reversed(sections), reversed(worded), strict=True):
        level = section.heading.level if section.heading is not None else 0
        below = False
        while open_below and open_below[-1][0] > level:
            below |= open_below.pop()[1]
        open_below.append((level, below or has_words))
        leads.append(below)
    return leads[::-1]


def _sections(body: str) -> list[_Section]:
    lines = [0, *(match.end() for match in re.finditer("\n", body)), len(body)]
    last = len(lines) - 1
    blocks = read_page(body).blocks
    headings = [block for block in blocks if block.opens_section]
    # Lines that no block claims, such as link definitions, go with the block above them.
    starts = sorted({0, *(block.first_line for block in blocks)})
    sections: list[_Section] = []
    for heading, following in zip([None, *headings], [*headings, None], strict=True):
        first = heading.end_line if heading is not None else 0
        end = following.first_line if following is not None else last
        inside = starts[bisect_left(starts, first) : bisect_left(starts, end)]
        edges = sorted({first, *inside, end}) if first < end else []
        text = [(lines[a], lines[b]) for a, b in pairwise(edges)]
        title = [(lines[heading.first_line], lines[heading.end_line])] if heading is not None else []
        sections.append(_Section(heading, title, text))
    return sections


MIN_LIMIT = 128


def cut_passages(title: str, body: str, piece_offsets: PieceOffsets, longest: int) -> tuple[Passage, ...]:
    """Cut a body so that `passage_text_for_encoder` of each passage is at most `longest` pieces.

    `longest` counts word pieces without the model's own marks and is at least 128. Every character but
    white space and the marks of headings is in the text or the heading of some passage; a body without
    any yields its title. Raises ValueError for a smaller limit.
    """
    if longest < MIN_LIMIT:
        raise ValueError(f"a passage needs room for {MIN_LIMIT} word pieces, not {longest}")
    pieces = Pieces(body, piece_offsets)
    passages: list[Passage] = []
    for part in read_parts(body):
        context = "\n".join(context_lines(title, part.heading))
        room = longest - len(piece_offsets(context))
        for start, end in _pack(body, part, pieces, room, piece_offsets):
            text = body[start:end].strip("\n").rstrip()
            if text:
                torn = tears_word(body, start) or tears_word(body, end)
                tokens = len(piece_offsets(text)) if torn else pieces.count(start, end)
                passages.append(Passage(len(passages), part.heading, text, tokens))
    return tuple(passages) or (Passage(0, None, title, len(piece_offsets(title))),)


def _pack(body: str, part: Part, pieces: Pieces, room: int, piece_offsets: PieceOffsets) -> Iterator[Stretch]:
    """Join neighbouring stretches while they fit; split those that do not fit alone."""
    start: int | None = None
    end = 0
    for stretch in part.stretches:
        if start is not None and _fits(pieces, start, stretch[1], room):
            end = stretch[1]
            continue
        if start is not None:
            yield start, end
        start, end = stretch
        if not _fits(pieces, start, end, room):
            *whole, (start, end) = split_stretch(body, pieces, stretch, room, piece_offsets)
            yield from whole
    if start is not None:
        yield start, end


def _fits(pieces: Pieces, start: int, end: int, room: int) -> bool:
    return end - start <= MAX_TEXT_LENGTH and pieces.count(start, end) <= room
