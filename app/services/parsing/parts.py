"""The parts of a body that passages are made of: sections with words, under the path of their headings."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise

from app.domain.graphemes import beginning
from app.services.parsing.blocks import Block, read_page
from app.services.parsing.encoder_text import fits_heading
from app.services.parsing.prose import plain_text
from app.services.parsing.small_parts import Part, join_small
from app.services.parsing.splitting import Stretch

LONGEST_NAME = 120

_WORDS = re.compile(r"[^\W_]|[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading, absent above the first, the stretch it takes, and those of its own text."""

    heading: Block | None
    title: list[Stretch]
    text: list[Stretch]


def read_parts(body: str) -> list[Part]:
    """Cut a body into parts that all hold words.

    A heading above words is read in their path. A section with no words in it or under it becomes the end
    of the part before it, heading and all, or the start of the first one. A heading too long for a path is
    text as well. Parts of a few words are joined with their neighbours.
    """
    parts: list[Part] = []
    waiting: list[Stretch] = []
    tail: list[Stretch] = []
    above: list[Stretch] = []
    path: list[tuple[int, str]] = []
    sections = _sections(body)
    worded = [any(_WORDS.search(body, start, end) for start, end in section.text) for section in sections]
    for section, has_words, leads_on in zip(sections, worded, _leading(sections, worded), strict=True):
        name = _enter(path, section.heading)
        shown = [] if fits_heading(name) else section.title
        if has_words:
            names = tuple(name for _, name in path)
            title = (*above, *section.title)
            parts[-1:] = [part.followed_by(tail) for part in parts[-1:]]
            parts.append(Part(names, title, (*waiting, *shown, *section.text)))
            waiting, above, tail = [], [], []
            continue
        rest = (*(shown if leads_on else section.title), *section.text)
        above.extend(section.title if leads_on else [])
        (tail if parts else waiting).extend(rest)
    parts[-1:] = [part.followed_by(tail) for part in parts[-1:]]
    return join_small(parts) if parts else [Part((), (), tuple(waiting))] if waiting else []


def _enter(path: list[tuple[int, str]], heading: Block | None) -> str:
    """Step into a section: drop the headings that ended, add this one, answer its name."""
    if heading is None:
        return ""
    while path and path[-1][0] >= heading.level:
        path.pop()
    name = plain_text(heading.content)
    path.append((heading.level, beginning(name, LONGEST_NAME)))
    return name


def _leading(sections: list[_Section], worded: list[bool]) -> list[bool]:
    """Tell for each section whether one below it, down to the next of its level, holds words."""
    answers: list[bool] = []
    open_below: list[tuple[int, bool]] = []
    for section, has_words in zip(reversed(sections), reversed(worded), strict=True):
        level = section.heading.level if section.heading is not None else 0
        below = False
        while open_below and open_below[-1][0] > level:
            below |= open_below.pop()[1]
        open_below.append((level, below or has_words))
        answers.append(below)
    return answers[::-1]


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
