"""The blocks of a Markdown body: headings, text, code and rules, each with the lines it spans."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.errors import Invalid

DEEPEST = 40
MOST_LINES = 200_000
"""Every line of a body may become a block of a kilobyte."""

_BLOCKS = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable("table").disable(["inline", "text_join"])


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

    `level` is a heading's, 0 for others. `top` blocks stand in no list, quote or table; a `cell` stands in
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

    @property
    def opens_section(self) -> bool:
        """Tell whether this is a heading of the document itself."""
        return self.kind is BlockKind.HEADING and self.top


@dataclass(frozen=True, slots=True)
class Page:
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


def read_page(body: str) -> Page:
    """Read the block structure of a Markdown body (CommonMark and tables).

    Takes any text; raises Invalid when it has more than 200,000 lines.
    """
    if (lines := body.count("\n")) > MOST_LINES:
        raise Invalid(
            f"the body has {lines} lines; at most {MOST_LINES} are read: split the document", field="body"
        )
    definitions: dict[str, object] = {}
    blocks: list[Block] = []
    quotes = 0
    heading: Token | None = None
    cell = False
    for token in _BLOCKS.parse(body, definitions):
        if token.type in ("blockquote_open", "blockquote_close"):
            quotes += token.nesting
        elif token.type in ("heading_open", "heading_close"):
            heading = token if token.nesting == 1 else None
        elif token.type in _CELLS:
            cell = token.nesting == 1
        elif token.type == "inline" or token.type in _LEAVES:
            blocks.append(_block(token, heading, quotes > 0, cell))
    return Page(body, tuple(blocks), definitions)


def _block(token: Token, heading: Token | None, quoted: bool, cell: bool) -> Block:
    # The text of an underlined heading ends above its underline, and the heading itself below it.
    first, end = (heading or token).map or (0, 0)
    if token.type != "inline":
        return Block(_LEAVES[token.type], token.content, first, end, 0, quoted, token.level == 0)
    if heading is None:
        return Block(BlockKind.TEXT, token.content, first, end, 0, quoted, token.level == 1, cell)
    level = int(heading.tag[1:])
    return Block(BlockKind.HEADING, token.content, first, end, level, quoted, token.level == 1, cell)
