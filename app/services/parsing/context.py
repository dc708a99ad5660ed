"""The state that the parts of the parser share while they read one document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.services.parsing.blocks import Block, BlockKind, MarkdownPage, Section
from app.services.parsing.front_matter import field_role
from app.services.parsing.inline import Prose, read_prose

_FIELD_LINE = re.compile(
    r"^[ \t]*(?:[*+-][ \t]+)?[*_]{0,3}(?P<name>[A-Za-z][A-Za-z _-]{0,40}?)[*_]{0,3}[ \t]*:"
    r"[*_]{0,3}[ \t]*(?P<value>.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The header, page and sections of a document that is being read, and its warnings."""

    fields: dict[str, object]
    page: MarkdownPage
    sections: tuple[Section, ...]
    prefixes: frozenset[str]
    path: str | None
    warnings: list[str]
    proses: dict[int, Prose] = field(default_factory=dict)

    def prose(self, block: Block) -> Prose:
        """Return the prose of a block, read once."""
        known = self.proses.get(id(block))
        if known is None:
            known = read_prose(block.content, self.page.definitions)
            self.proses[id(block)] = known
        return known

    def by_role(self, role: str) -> Iterator[tuple[str, object]]:
        """Yield the header fields with this role, in order, with their names."""
        for name, value in self.fields.items():
            if field_role(name, self.prefixes) == role:
                yield name, value

    def opening_blocks(self) -> tuple[Block, ...]:
        """Return the text above the first heading that is not the document's title."""
        first = _texts(self.sections[0])
        if first or self.sections[0].heading is not None or len(self.sections) == 1:
            return first
        return _texts(self.sections[1])

    def opening_fields(self) -> dict[str, str]:
        """Return lines such as `Status: Accepted` at the opening, by role; the first of a role counts."""
        found: dict[str, str] = {}
        for block in self.opening_blocks():
            for match in _FIELD_LINE.finditer(block.content[:4_000]):
                role = field_role(match["name"], self.prefixes)
                if role in ("status", "created", "author"):
                    found.setdefault(role, match["value"].strip(" *_"))
        return found


def _texts(section: Section) -> tuple[Block, ...]:
    return tuple(block for block in section.blocks if block.kind is BlockKind.TEXT and not block.quoted)
