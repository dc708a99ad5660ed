"""Parsing Markdown text into a document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from app.domain.artifact import DatePrecision, DateSource, Document, DocumentLines, MemoryDomain
from app.domain.text import beginning, fold
from app.services.parsing.blocks import Block, BlockKind
from app.services.parsing.candidates import read_candidates
from app.services.parsing.context import Reading, form_of, open_reading
from app.services.parsing.dates import (
    MAX_DATE_LENGTH,
    DateReading,
    date_of_byline,
    date_of_path,
    find_date,
    whole_date,
)
from app.services.parsing.front_matter import (
    MAX_FIELDS,
    HeaderLines,
    bounded_fields,
    field_role,
    read_header,
    read_sidecar,
)
from app.services.parsing.inline import plain_text
from app.services.parsing.kind_and_title import Identity, file_name, names_kind, read_identity
from app.services.parsing.references import read_links, read_references
from app.services.parsing.status import read_status, stated_statuses
from app.services.parsing.text import clean_text, text_of, texts_of
from app.services.parsing.vocabulary import field_key, vocabulary

EMPTY: tuple[object, ...] = (None, "", [], {})
NOTHING_STATED: Mapping[str, object] = MappingProxyType({})
MAX_WARNINGS = 50
MAX_LINES_BETWEEN = 2
MAX_META_VALUE = 1_000
MAX_OPENING_TEXT = 4_000
MAX_DATED_LINES = 200
MAX_OPENING = 20
"""Blocks of the opening, and lines of each, in which a date may stand alone."""


def parse_markdown(
    text: str,
    *,
    kind: str | None = None,
    path: str | None = None,
    known_prefixes: frozenset[str] = frozenset(),
    stated: Mapping[str, object] = NOTHING_STATED,
    beside: str | None = None,
) -> Document:
    """Parse one Markdown document; accepts any text and reports problems as warnings.

    `path` is the file's path inside its import; kind and identifier are guessed from it where the text
    states none. `known_prefixes` are accepted in identifiers beside the shipped ones. `stated` are header
    fields given beside the text, which win over those in it; those win over `beside`, the YAML of a file
    beside it. Raises Invalid for too many lines.
    """
    prefixes = accepted_prefixes(known_prefixes)
    text = clean_text(text)
    header = read_header(text, prefixes)
    warnings = list(header.warnings)
    around = read_sidecar(beside, warnings) if beside else {}
    around = _without_other_dates({**around, **header.fields}, stated, prefixes)
    fields = bounded_fields({**stated, **around, **stated}, warnings)
    above = HeaderLines.above(header.body, text)
    reading = open_reading(fields, header.body, prefixes, path, warnings, above)
    identity = read_identity(reading, kind)
    if not stated and (form := form_of(reading)) is not None:
        return _form(form, identity, reading)
    if identity.prefix is not None and identity.prefix not in prefixes:
        # A document may name others of its own series, whatever the series is called.
        reading = replace(reading, prefixes=prefixes | {identity.prefix})
    aliases, facts = read_candidates(reading)
    dated, date_source, date_line = read_created(reading)
    return Document(
        kind=identity.kind,
        identifier=identity.identifier,
        title=identity.title,
        body=header.body,
        status=read_status(reading),
        created_at=None if dated is None else dated.moment,
        date_source=date_source,
        date_precision=None if dated is None else dated.precision,
        domain=domain_of(reading),
        author=_author(reading),
        props=_props(reading),
        meta=read_meta(reading),
        references=read_references(reading, identity),
        links=read_links(reading),
        alias_claims=aliases,
        fact_claims=facts,
        warnings=limit_warnings(reading.warnings),
        lines=_lines(reading, date_line),
    )


def _lines(reading: Reading, date: int | None) -> DocumentLines:
    stated = next((name for name, _ in reading.by_role("identifier")), None)
    if stated is not None:
        name = reading.above.line_of(stated)
    else:
        name = 1 if reading.title is None else reading.line_of(reading.title)
    return DocumentLines(
        name, stated_statuses(reading), date, dict(reading.warning_lines), frozenset(reading.unread_headings)
    )


def _without_other_dates(
    fields: Mapping[str, object], stated: Mapping[str, object], prefixes: frozenset[str]
) -> dict[str, object]:
    """Return the fields of a text without those that date it where what is given beside it does."""
    is_dated = any(field_role(name, prefixes) == "created" for name in stated)
    return {
        name: value
        for name, value in fields.items()
        if not (is_dated and field_role(name, prefixes) == "created")
    }


def _form(form: str, identity: Identity, reading: Reading) -> Document:
    """Return a template or an index as text that states nothing."""
    said = f"it is {form} and states nothing: no number, status, date or reference is read from it"
    kind = vocabulary().default_kind
    title = identity.title if reading.title is not None else (file_name(reading.path) or identity.title)
    return Document(kind, None, title, reading.page.body, warnings=limit_warnings([said]))


def limit_warnings(warnings: list[str]) -> tuple[str, ...]:
    """Return each warning once, at most `MAX_WARNINGS` of them, and the number of the others."""
    different = list(dict.fromkeys(warnings))
    more = len(different) - MAX_WARNINGS
    return (*different[:MAX_WARNINGS], *([f"and {more} more warnings"] if more > 0 else []))


def accepted_prefixes(known: frozenset[str]) -> frozenset[str]:
    """Return the shipped prefixes and these, in capitals."""
    return vocabulary().prefixes | {prefix.upper() for prefix in known}


def domain_of(reading: Reading) -> MemoryDomain | None:
    """Return the memory domain a header names; one that does not exist is left out with a warning."""
    for name, value in reading.by_role("domain"):
        text = text_of(value, name, reading.warnings)
        word = fold(text or "").replace("-", "_").replace(" ", "_").upper()
        if word in MemoryDomain.__members__:
            return MemoryDomain[word]
        if word:
            reading.warnings.append(f"there is no memory domain {text}; the field {name} was left out")
    return None


def read_created(reading: Reading) -> tuple[DateReading | None, DateSource | None, int | None]:
    """Return the date of a document, where it is from, and the line of its field or section.

    A header counts before lines, and those before sections. Of several fields the one counts that speaks most
    of when the content took effect: a decision before its recording, and that before a later change.
    """
    found: list[tuple[int, int, int, DateReading, int]] = []
    for place, (source, name, text, line) in enumerate(_dated_fields(reading)):
        key = field_key(name)
        dated = find_date(text.strip(" *_"))
        if dated is not None:
            found.append((source, vocabulary().dates.get(key, 0), place, dated, line))
        elif key in vocabulary().plain_dates:
            _warn_of_date(text, line, reading)
    *_, dated, at = min(found, key=lambda each: each[:3]) if found else (None, None)
    dated = dated or _bare_date(reading) or _titled_date(reading)
    if dated is None and reading.path is not None and (of_path := date_of_path(reading.path)) is not None:
        return of_path, DateSource.FILE_NAME, None
    if dated is None and (created := _created_in_history(reading)) is not None:
        dated, at = created
    if dated is not None and dated.zone is not None:
        reading.warnings.append(
            f"the time zone {beginning(dated.zone, 20)!r} is unknown, so only the day counts; write an offset"
        )
    return dated, None if dated is None else DateSource.HEADER, at


def _warn_of_date(text: str, line: int, reading: Reading) -> None:
    reading.warn(f"write a date as 2026-01-31; this is not a readable date: {beginning(text, 40)!r}", line)


def _dated_fields(reading: Reading) -> Iterator[tuple[int, str, str, int]]:
    """Yield the fields that may date a document, from its header, its opening and sections like `## Date`.

    Each has its source, its name, its text and its line.
    """
    for name, value in reading.by_role("created"):
        yield from ((0, name, text, reading.above.line_of(name)) for text in texts_of(value)[:1])
    for line in reading.lines_by_role("created"):
        if line.value:
            yield 1, line.name, plain_text(line.value[:400]), reading.line_of(line.block, line.value)
    for section in reading.sections:
        name, _, inline = section.name.partition(":")
        if (
            section.heading is None
            or section.heading is reading.title
            or field_key(name) not in vocabulary().dates
        ):
            continue
        texts = [block.content for block in section.blocks if block.kind is BlockKind.TEXT]
        dated = next((text for text in (inline, *texts[:1]) if whole_date(text) is not None), None)
        if dated is not None:
            yield 2, name, plain_text(dated[:400]), reading.line_of(section.heading)
        elif field_key(name) in vocabulary().plain_dates:
            for text in (inline.strip(), *texts)[:2]:
                if text and len(text) <= MAX_DATE_LENGTH:
                    _warn_of_date(text, reading.line_of(section.heading), reading)


def _bare_date(reading: Reading) -> DateReading | None:
    """Return a date that stands alone in a line of the opening, or behind words like "last modified on"."""
    for block in reading.opening[:MAX_OPENING]:
        for line in block.content[:1_000].split("\n")[:MAX_OPENING]:
            if (alone := whole_date(line)) is not None:
                return alone
            if (dated := date_of_byline(line)) is not None:
                return dated
    return None


def _created_in_history(reading: Reading) -> tuple[DateReading, int] | None:
    """Return the earliest date of sections such as `## Changelog`, which have dated lines, and its line."""
    found: list[tuple[DateReading, int]] = []
    depth = 0
    for section in reading.sections:
        heading = section.heading
        if heading is None or (depth and heading.level > depth):
            is_history = depth > 0
        else:
            is_history = section.name in vocabulary().history_sections and heading is not reading.title
            depth = heading.level if is_history else 0
        blocks = (heading, *section.blocks) if heading is not None else section.blocks
        for block in blocks[:MAX_DATED_LINES] if is_history else ():
            found += _dated_lines(block, reading)
    return min(found, key=lambda each: (each[0].moment, each[1])) if found else None


def _dated_lines(block: Block, reading: Reading) -> Iterator[tuple[DateReading, int]]:
    """Yield the dates with which lines begin, or that stand in them behind a mark: "v1 (2026-01-31)"."""
    if block.kind not in (BlockKind.TEXT, BlockKind.HEADING):
        return
    for place, line in enumerate(block.content[:MAX_OPENING_TEXT].split("\n")[:MAX_DATED_LINES]):
        words = plain_text(line[:MAX_DATE_LENGTH]).strip(" *_([")
        behind = _BEHIND_MARK.search(words)
        dated = find_date(words) or (None if behind is None else find_date(words[behind.end() :]))
        if dated is not None and dated.precision is not DatePrecision.YEAR:
            yield dated, reading.line_of(block) + place


def _titled_date(reading: Reading) -> DateReading | None:
    """Return the one day that a title names, as those of journals and meetings do."""
    title = "" if reading.title is None else plain_text(reading.title.content[:200])
    days = [find_date(day) for day in _DAY_IN_TITLE.findall(title)]
    return days[0] if len(days) == 1 else whole_date(title)


def _author(reading: Reading) -> str | None:
    for name, value in reading.by_role("author"):
        names = texts_of(value) if isinstance(value, list) else [text_of(value, name, reading.warnings) or ""]
        if any(names):
            return ", ".join(names)
    lines = (line.value[:400] for line in reading.lines_by_role("author"))
    stated = (plain_text(line) if "](" in line or "*" in line else line.strip(" _") for line in lines)
    return next((name for name in stated if name), None)


def _props(reading: Reading) -> dict[str, object]:
    """Return the header fields without a role of their own, and the tags as a list."""
    props: dict[str, object] = {}
    for name, value in reading.fields.items():
        role = field_role(name, reading.prefixes)
        if role == "tags":
            texts = _names(name, value, reading.warnings)
            tags = [tag.strip() for text in texts for tag in text.split(",") if tag.strip()]
            props["tags"] = list(dict.fromkeys(tags))
        elif field_key(name) == "aliases" and value not in EMPTY:
            props["aliases"] = _names(name, value, reading.warnings) if isinstance(value, dict) else value
        elif field_key(name) == "kind" and not isinstance(value, str) and value not in EMPTY:
            reading.warnings.append(f"the field {name} is not plain text; it was left out")
        elif (role is None or (role == "kind" and not names_kind(name, value))) and value not in EMPTY:
            props[name] = value
    return props


_BEHIND_MARK = re.compile(r"[(\[,:–—-]\s*(?=\d{4}-\d{2}-\d{2})")
_DAY_IN_TITLE = re.compile(r"(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])")
MAX_META_BLOCKS = 40


def read_meta(reading: Reading) -> dict[str, object]:
    """Return the fields of a header as they were written: front matter, and lines and tables of the opening.

    Lines count as long as nothing but fields stands above them, beside a line or two such as badges.
    """
    meta = {name: value for name, value in reading.fields.items() if value not in EMPTY}
    known = {field_key(name) for name in meta}
    others = 0
    for block in (*reading.quotes, *reading.opening)[:MAX_META_BLOCKS]:
        if id(block) not in reading.lines.whole:
            others += 1
        if others > MAX_LINES_BETWEEN:
            break
        for line in reading.lines.fields if id(block) in reading.lines.whole else ():
            is_new = line.block is block and field_key(line.name) not in known
            if is_new and line.value and len(meta) < MAX_FIELDS:
                meta[line.name] = beginning(plain_text(line.value[:2_000]), MAX_META_VALUE)
                known.add(field_key(line.name))
    return meta


def _names(name: str, value: object, warnings: list[str]) -> list[str]:
    if isinstance(value, dict):
        warnings.append(f"the field {name} is not a list; its names were used")
    return texts_of(value)
