"""The sections of a page: each heading of the document itself, and the blocks below it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from app.domain.surface_form import fold
from app.services.parsing.blocks import Block, Page

_NUMBERING = re.compile(r"^\d{1,3}(?:\.\d{1,3})*[.)]?\s+")
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, absent above the first one, and the blocks up to the next heading."""

    heading: Block | None
    blocks: tuple[Block, ...]

    @property
    def name(self) -> str:
        """The heading's folded words without numbering or a closing colon, empty when there is none."""
        if self.heading is None:
            return ""
        return _name_of(self.heading.content[:_LONGEST_NAME])


@lru_cache(maxsize=1_024)
def _name_of(heading: str) -> str:
    return _NUMBERING.sub("", fold(heading).strip("*_ :"))


def read_sections(page: Page) -> tuple[Section, ...]:
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
