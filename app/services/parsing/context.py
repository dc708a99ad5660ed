"""The state that the parts of the parser share while they read one document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from app.domain.text import fold
from app.services.parsing.blocks import Block, BlockKind, MarkdownPage, Section, read_page, read_sections
from app.services.parsing.field_lines import FieldLine, FieldLines, read_field_lines
from app.services.parsing.front_matter import HeaderLines, field_role
from app.services.parsing.inline import Prose, read_prose
from app.services.parsing.text import texts_of
from app.services.parsing.vocabulary import field_key, kind_of_folder, relation_named, vocabulary

_NOTHING = FieldLines((), frozenset())


@dataclass(frozen=True, slots=True)
class Reading:
    """The header, page and sections of a document that is being read, and its warnings.

    `title` is the heading that titles it, `opening` the text up to the heading below that, quotes apart in
    `quotes`, and `lines` are the fields that both state. `above` are the lines of the file above the page.
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
    above: HeaderLines = field(default_factory=HeaderLines)
    warning_lines: dict[str, int] = field(default_factory=dict)
    unread_headings: set[str] = field(default_factory=set)

    def warn(self, warning: str, line: int) -> None:
        """Add a warning that concerns one line of the file."""
        self.warnings.append(warning)
        self.warning_lines.setdefault(warning, line)

    def line_of(self, block: Block, text: str = "") -> int:
        """Return the number of the file's line where a block starts, or of the one in it that has a text."""
        start = block.content.find(text.split("\n", 1)[0][:200]) if text else 0
        return len(self.above.texts) + block.first_line + block.content.count("\n", 0, max(start, 0)) + 1

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
    fields: dict[str, object],
    body: str,
    prefixes: frozenset[str],
    path: str | None,
    warnings: list[str],
    above: HeaderLines | None = None,
) -> Reading:
    """Read the blocks and sections of a body, and return them with its header.

    `above` are the lines of the file above the body.
    """
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
        above=above or HeaderLines(),
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


_PLACEHOLDER = re.compile(
    r"\{[^{}\n]{2,200}\}|<%.{1,200}?%>|\[(?:short |the )?(?:title|name|number|subject)[^\]\n]{0,200}\](?!\()"
    r"|<(?:short |the )?(?:title|name|number|subject)[^>\n]{0,200}>",
    re.IGNORECASE,
)
_NO_NUMBER = re.compile(r"^[A-Z]{2,16}[- ](?:N{2,4}|X{2,4}|#{1,4})\b", re.IGNORECASE)
_NUMBER_TO_COME = re.compile(r"n{3,4}|x{3,4}|yyyy")
_CHOICES = re.compile(r"[^|]{2,40}(?:\|[^|]{2,60}){2,8}")


def form_of(reading: Reading) -> str | None:
    """Return what a file is that states nothing: "a template", "an index of documents"; None for others."""
    if reading.path is None:
        return None
    if _is_template(reading, PurePosixPath(reading.path)):
        return "a template"
    return "an index of documents" if _is_index(reading, PurePosixPath(reading.path)) else None


def _is_template(reading: Reading, path: PurePosixPath) -> bool:
    words = [word for word in field_key(path.stem.replace(".", "-")).split("-") if word]
    if any(word.isdigit() and int(word) for word in words):
        return False
    known = vocabulary()
    named = [word for word in words if word not in known.template_words]
    is_named = len(named) < len(words) and all(
        word in known.template_parts or word.isdigit() for word in named
    )
    in_folder = field_key(path.parent.name) in known.template_words
    to_come = bool(words) and _NUMBER_TO_COME.fullmatch(words[0]) is not None
    return is_named or in_folder or to_come or _has_placeholders(reading)


def _has_placeholders(reading: Reading) -> bool:
    """Return whether the title is a placeholder, or two fields are, as in `date: {YYYY-MM-DD}`."""
    title = "" if reading.title is None else reading.title.content[:400]
    blank = _PLACEHOLDER.search(title)
    if _NO_NUMBER.search(title) is not None or (blank is not None and 2 * len(blank[0]) > len(title)):
        return True
    values = [*reading.fields.values(), *(line.value for line in reading.lines.fields)]
    return sum(_is_placeholder(value) for value in values) > 1


def _is_placeholder(value: object) -> bool:
    if isinstance(value, dict):
        return len(value) == 1 and all(inner is None for inner in value.values())
    text = value.strip()[:400] if isinstance(value, str) else ""
    return _CHOICES.fullmatch(text) is not None or re.fullmatch(r"\{[^{}]*\}|<%.*%>", text) is not None


def _is_index(reading: Reading, path: PurePosixPath) -> bool:
    if field_key(path.stem) not in vocabulary().index_files:
        return False
    known = kind_of_folder(path.parent.name)
    states = any(field_role(name, reading.prefixes) in ("identifier", "status") for name in reading.fields)
    return known is not None and not path.parent.name[:1].isdigit() and not states
