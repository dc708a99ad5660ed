"""The blocks of a Markdown body: headings, text, code and rules, each with the lines it spans."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from app.domain.text import fold
from app.errors import Invalid
from app.services.parsing.inline import plain_text
from app.services.parsing.text import INVISIBLE
from app.services.parsing.vocabulary import relation_named, vocabulary

MAX_DEPTH = 40
MAX_LINES = 200_000
"""Every line of a body may become a block of a kilobyte."""

MAX_BLOCKS = 100_000
"""Paragraphs, list items, cells and the like: each takes a tenth of a millisecond and a kilobyte."""

MAX_HEADINGS = 20_000
"""Each makes a section of its own, with a path of the headings above it."""


class BlockKind(Enum):
    """What a block is to a reader."""

    HEADING = auto()
    TEXT = auto()
    CODE = auto()
    HTML = auto()
    RULE = auto()


@dataclass(frozen=True, slots=True)
class Block:
    """One leaf block; its lines run from `first_line` up to `end_line`, which is not part of it.

    `level` is a heading's, 0 for others; `depth` grows with the lists and quotes around a block.
    `top` blocks stand in no list, quote or table; a `cell` stands in
    a table, and the cells of one row start on one line.
    """

    kind: BlockKind
    content: str
    first_line: int
    end_line: int
    level: int = 0
    quoted: bool = False
    top: bool = True
    cell: bool = False
    depth: int = 0

    @property
    def opens_section(self) -> bool:
        """Return whether this is a heading of the document itself."""
        return self.kind is BlockKind.HEADING and self.top


@dataclass(frozen=True, slots=True)
class MarkdownPage:
    """A body, read: its blocks in order and the link definitions it holds."""

    body: str
    blocks: tuple[Block, ...]
    definitions: dict[str, object]


_LEAVES = {
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "html_block": BlockKind.HTML,
    "hr": BlockKind.RULE,
}
_CELLS = frozenset({"th_open", "th_close", "td_open", "td_close"})


@lru_cache(maxsize=1)
def read_page(body: str) -> MarkdownPage:
    """Read the block structure of a Markdown body (CommonMark and tables).

    Takes any text; raises Invalid when it has more lines, blocks or headings than are read.
    """
    if (lines := body.count("\n")) > MAX_LINES:
        raise Invalid(
            f"the body has {lines} lines; at most {MAX_LINES} are allowed: split the document", field="body"
        )
    definitions: dict[str, Any] = {}
    blocks: list[Block] = []
    quotes = 0
    heading: Token | None = None
    cell = False
    for token in _BLOCKS.parse(_with_spaces(body), definitions):
        if token.type in ("blockquote_open", "blockquote_close"):
            quotes += token.nesting
        elif token.type in ("heading_open", "heading_close"):
            heading = token if token.nesting == 1 else None
        elif token.type in _CELLS:
            cell = token.nesting == 1
        elif token.type == "inline" or token.type in _LEAVES:
            blocks.append(_block(token, heading, quotes > 0, cell))
    definitions.pop(_COUNTED, None)
    _require_few(len(blocks), MAX_BLOCKS, "blocks")  # a table counts its cells when it has read them all
    return MarkdownPage(body, tuple(blocks), definitions)


_SPACELESS = re.compile(r"^(?P<marks>#{2,6})(?P<name>[^\s#][^\n]{0,80})$", re.MULTILINE)


def _with_spaces(body: str) -> str:
    """Return the body with a space in headings such as `##Status`, whose name says that they are headings."""
    if "##" not in body:
        return body
    return _SPACELESS.sub(
        lambda match: f"{match['marks']} {match['name']}" if _is_shared(match["name"]) else match[0], body
    )


def _is_shared(heading: str) -> bool:
    name = _name_of(heading)
    return name in vocabulary().section_names or relation_named(name) is not None


def _block(token: Token, heading: Token | None, quoted: bool, cell: bool) -> Block:
    # The text of an underlined heading ends above its underline, and the heading itself below it.
    first, end = (heading or token).map or (0, 0)
    if token.type != "inline":
        return Block(_LEAVES[token.type], token.content, first, end, 0, quoted, token.level == 0)
    if heading is None:
        return Block(
            BlockKind.TEXT, token.content, first, end, 0, quoted, token.level == 1, cell, token.level
        )
    level = int(heading.tag[1:])
    return Block(BlockKind.HEADING, token.content, first, end, level, quoted, token.level == 1, cell)


def _count(state: StateBlock, _line: int, _end: int, _silent: bool) -> bool:
    """Raise Invalid once there are too many tokens; matches nothing.

    The parser asks each of its rules about each line, and this one first.
    """
    counted = state.env.setdefault(_COUNTED, [0, 0, 0])
    for token in state.tokens[counted[0] :]:
        counted[1] += token.nesting == 1 or (token.nesting == 0 and token.type != "inline")
        counted[2] += token.type == "heading_open"
    counted[0] = len(state.tokens)
    _require_few(counted[1], MAX_BLOCKS, "blocks")
    _require_few(counted[2], MAX_HEADINGS, "headings")
    return False


def _require_few(count: int, most: int, what: str) -> None:
    if count > most:
        raise Invalid(f"the body has more than {most} {what}; split the document", field="body")


def _parser_that_counts() -> MarkdownIt:
    parser = (
        MarkdownIt("commonmark", {"maxNesting": MAX_DEPTH}).enable("table").disable(["inline", "text_join"])
    )
    parser.block.ruler.before("table", "count", _count)
    return parser


_COUNTED = "counted"
_BLOCKS = _parser_that_counts()


_ORNAMENT = re.compile(
    r"^(?::[a-z0-9_+-]{1,40}:|[^\w:]+|[:_]|\d{1,3}(?:\.\d{1,3})*[.):]?\s+|[ivx]{1,5}[.):]\s+|[a-z][.)]\s+)+"
)
_MARKUP = re.compile(r"[\[<*_`~&\\!{]")
_ATTRIBUTES = re.compile(r"\{[#.:][^{}]{0,80}\}\s*$")
_MAX_NAME_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, absent above the first one, and the blocks up to the next heading."""

    heading: Block | None
    blocks: tuple[Block, ...]

    @property
    def name(self) -> str:
        """The heading's folded words without numbering, ornaments and closing marks, or nothing."""
        if self.heading is None:
            return ""
        return _name_of(self.heading.content[:_MAX_NAME_LENGTH])


@lru_cache(maxsize=1_024)
def _name_of(heading: str) -> str:
    shown = plain_text(_ATTRIBUTES.sub("", heading)) if _MARKUP.search(heading) else heading
    words = fold(INVISIBLE.sub("", shown))
    return _ORNAMENT.sub("", words).rstrip(" *_:.,;!?-–—#")


def read_sections(page: MarkdownPage) -> tuple[Section, ...]:
    """Cut a page at the headings of the document itself; headings in lists and quotes do not count."""
    sections: list[Section] = []
    heading: Block | None = None
    blocks: list[Block] = []
    for block in page.blocks:
        if block.opens_section:
            if heading is not None or blocks:
                sections.append(Section(heading, tuple(blocks)))
            heading, blocks = block, []
        else:
            blocks.append(block)
    return (*sections, Section(heading, tuple(blocks)))
