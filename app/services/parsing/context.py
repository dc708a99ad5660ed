"""The state that the parts of the parser share while they read one document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.domain.text import fold
from app.services.parsing.blocks import Block, BlockKind, MarkdownPage, Section, read_page, read_sections
from app.services.parsing.field_lines import FieldLine, FieldLines, read_field_lines
from app.services.parsing.front_matter import field_role
from app.services.parsing.inline import Prose, read_prose
from app.services.parsing.text import texts_of
from app.services.parsing.vocabulary import relation_named, vocabulary

_NOTHING = FieldLines((), frozenset())


@dataclass(frozen=True, slots=True)
class Reading:
    """The header, page and sections of a document that is being read, and its warnings.

    `title` is the heading that titles it, `opening` the text up to the heading below that, quotes apart in
    `quotes`, and `lines` are the fields that both state.
    """

    fields: dict[str, object]
    page: MarkdownPage
    sections: tuple[Section, ...]
    prefixes: frozenset[str]
    path: str | None
    warnings: list[str]
    title: Block | None = None
    opening: tuple[Block, ...] = ()
    quotes: tuple[Block, ...] = ()
    lines: FieldLines = _NOTHING
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

    def lines_by_role(self, role: str) -> Iterator[FieldLine]:
        """Yield the fields with this role that stand in the opening, such as `Status: Accepted`."""
        for line in self.lines.fields:
            if field_role(line.name, self.prefixes) == role:
                yield line


def open_reading(
    fields: dict[str, object], body: str, prefixes: frozenset[str], path: str | None, warnings: list[str]
) -> Reading:
    """Read the blocks and sections of a body, and return them with its header."""
    page = read_page(body)
    sections = read_sections(page)
    stated = [
        fold(text)
        for name, value in fields.items()
        if field_role(name, prefixes) == "title"
        for text in texts_of(value)
    ]
    title = leading_heading(page, sections, stated)
    opening = [block for section in _opening_sections(sections, title) for block in section.blocks]
    texts = [block for block in opening if block.kind is BlockKind.TEXT]
    return Reading(
        fields=fields,
        page=page,
        sections=sections,
        prefixes=prefixes,
        path=path,
        warnings=warnings,
        title=title,
        opening=tuple(block for block in texts if not block.quoted),
        quotes=tuple(block for block in texts if block.quoted),
        lines=read_field_lines(texts),
    )


def leading_heading(page: MarkdownPage, sections: Sequence[Section], stated: Sequence[str]) -> Block | None:
    """Return the heading that titles a document: the first of level one, or one that opens the page.

    Headings that documents share, such as "Context" or "Supersedes", title none unless they lead it. Where
    several of them are of level one, no heading of that level does. `stated` are the titles of its header.
    """
    headed = [section for section in sections if section.heading is not None and not _is_contents(section)]
    shared = [section for section in headed if _level(section) == 1 and is_shared(section)]
    if shared and shared[0] is headed[0]:
        is_title = len(shared) == 1 and (not stated or shared[0].name in stated)
        if is_title or len(shared) > 1:
            return shared[0].heading if is_title else None
    titles = [section.heading for section in headed if section.heading and not is_shared(section)]
    of_level_one = next((block for block in titles if block.level == 1), None)
    opening = next((block for block in page.blocks if block.kind is not BlockKind.HTML), None)
    return of_level_one or next((block for block in titles[:1] if block is opening), None)


def _level(section: Section) -> int:
    return 0 if section.heading is None else section.heading.level


def _is_contents(section: Section) -> bool:
    return section.name in vocabulary().contents_sections


def is_shared(section: Section) -> bool:
    """Return whether documents share the name of a section."""
    return section.name in vocabulary().section_names or relation_named(section.name) is not None


def _opening_sections(sections: Sequence[Section], title: Block | None) -> Iterator[Section]:
    for place, section in enumerate(sections):
        is_title = title is not None and section.heading is title
        if place == 0 or is_title or section.name in vocabulary().metadata_sections:
            yield section
