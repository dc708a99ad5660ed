"""Reading fields from the lines and tables of a body: `Status: Accepted`, `**Date:** ...`, `owner:: Ada`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.services.parsing.blocks import Block
from app.services.parsing.inline import plain_text
from app.services.parsing.vocabulary import field_key, relation_named, vocabulary

MAX_LENGTH = 4_000
"""Characters of a block that are searched for fields."""

MAX_BLOCKS = 500

_NAME = r"[^\W\d_][\w /&'-]{0,40}?"
_MARKS = r"[*_`]{0,3}"
_LINE = re.compile(
    rf"(?:[^\w\n\[<>|]{{0,8}}){_MARKS}(?P<name>{_NAME}){_MARKS}[ \t]*(?P<joint>::?|[ \t][-–—=][ \t]){_MARKS}"
    r"[ \t]*(?P<value>.*)"
)
_BOLD = re.compile(rf"(?P<marks>\*\*|__)(?P<name>{_NAME})(?:[ \t]*::?[ \t]*(?P=marks)|(?P=marks)[ \t]*::?)")
_INLINE = re.compile(rf"[\[(](?P<name>{_NAME})::[ \t]*(?P<value>[^\[\]()\n]{{0,500}})[\])]")
_NAME_ALONE = re.compile(rf"(?P<marks>\*\*|__){_NAME}:?(?P=marks):?")
_BREAK = re.compile(r"\n|<br[ \t]*/?>", re.IGNORECASE)
_BESIDE = re.compile(r"[ \t]*[|·•‖][ \t]*|[ \t]{4,}|\t+|[ \t]+[-–—][ \t]+(?=\*\*)")
_COMMA = re.compile(r"[,;][ \t]+")
_EDGES = " \t|·•‖,;–—-/\\"
_EMPTY_NAMES = frozenset(
    {"field", "key", "property", "attribute", "name", "item", "value", "note", "warning"}
)


@dataclass(frozen=True, slots=True)
class FieldLine:
    """A field that a body states, as written; `is_double` marks the form `name:: value`."""

    name: str
    value: str
    block: Block
    is_double: bool = False


@dataclass(frozen=True, slots=True)
class FieldLines:
    """The fields of some blocks in order, and the blocks that consist of nothing else, by identity."""

    fields: tuple[FieldLine, ...]
    whole: frozenset[int]


def read_field_lines(blocks: Sequence[Block]) -> FieldLines:
    """Read the fields that stand in blocks of text and in tables; in time that grows with their length."""
    found: list[FieldLine] = []
    whole: set[int] = set()
    for is_cell, group in groupby(blocks[:MAX_BLOCKS], key=lambda block: block.cell):
        members = list(group)
        if is_cell:
            read = list(_table_fields(members))
            found += read
            whole.update(id(block) for block in members if read)
            continue
        for block in members:
            lines = _joined_labels(_BREAK.split(block.content[:MAX_LENGTH]))
            by_line = [_line_fields(line, block) for line in lines if line.strip()]
            found += [field for fields in by_line for field in fields]
            if all(by_line):
                whole.add(id(block))
    return FieldLines(tuple(found), frozenset(whole))


def _joined_labels(lines: Sequence[str]) -> list[str]:
    """Return lines with a name alone, in bold or above a colon, joined with the value in the line below."""
    joined: list[str] = []
    for line in lines:
        above = joined[-1].strip() if joined else ""
        is_label = _NAME_ALONE.fullmatch(above) is not None or line.lstrip().startswith(": ")
        if is_label and is_known_field(above.strip("*_: ")):
            joined[-1] = f"{above.strip('*_: ')}: {line.strip().removeprefix(': ')}"
        else:
            joined.append(line)
    return joined


def is_known_field(name: str) -> bool:
    """Return whether a field's name has a role: a status, a date, an author, a relation."""
    return field_key(name) in vocabulary().fields or relation_named(name) is not None


def split_field(line: str) -> tuple[str, str] | None:
    """Return the name and value of a line `Name: value`, or None."""
    match = _LINE.fullmatch(line.strip())
    if match is None or (match["joint"][0] != ":" and not is_known_field(match["name"])):
        return None
    value = match["value"].strip()
    return None if value.startswith("//") else (match["name"].strip(), value)


def _line_fields(line: str, block: Block) -> list[FieldLine]:
    bold = list(_BOLD.finditer(line))
    if len(bold) > 1:
        ends = [match.start() for match in bold[1:]] + [len(line)]
        return [
            FieldLine(match["name"].strip(), line[match.end() : end].strip(_EDGES), block)
            for match, end in zip(bold, ends, strict=True)
        ]
    inline = [FieldLine(match["name"], match["value"], block, True) for match in _INLINE.finditer(line)]
    return inline or _beside(line, block) or _alone(line, block)


def _beside(line: str, block: Block) -> list[FieldLine]:
    """Return the fields of a line that holds several: parted by bars, or by commas where all are known."""
    for separator, all_known in ((_BESIDE, False), (_COMMA, True)):
        parts = [part for part in separator.split(line.strip()) if part.strip()]
        fields = [split_field(part) for part in parts] if 1 < len(parts) <= 20 else []
        read = [field for field in fields if field is not None]
        if (
            read
            and len(read) == len(parts)
            and (not all_known or all(is_known_field(name) for name, _ in read))
        ):
            return [FieldLine(name, value.strip(_EDGES), block) for name, value in read]
    return []


def _alone(line: str, block: Block) -> list[FieldLine]:
    field = split_field(line)
    if field is None:
        return []
    is_double = re.match(r"[^:\n]{1,60}::", line.strip()) is not None
    return [FieldLine(field[0], _without_odd_marks(field[1]), block, is_double)]


def _without_odd_marks(value: str) -> str:
    """Drop the marks at the end of a value that close ones before the name, as in `**Status: Accepted**`."""
    marks = value[len(value.rstrip("*_")) :]
    return value[: len(value) - len(marks)].strip() if marks and value.count(marks) % 2 else value


def _table_fields(cells: Sequence[Block]) -> Iterator[FieldLine]:
    rows = [list(row) for _, row in groupby(cells, key=lambda cell: cell.first_line)]
    names = [plain_text(cell.content[:200]) for cell in rows[0]]
    known = sum(is_known_field(name) for name in names)
    if len(rows) > 1 and known > 1 and not is_known_field(plain_text(rows[1][0].content[:200])):
        yield from (
            FieldLine(name, cell.content, cell) for name, cell in zip(names, rows[-1], strict=False) if name
        )
        return
    for row in rows:
        for label, value in zip(row[::2], row[1::2], strict=False):
            name = plain_text(label.content[:200]).strip(" :*_")
            if len(row) % 2 == 0 and name and len(name) <= 60 and field_key(name) not in _EMPTY_NAMES:
                yield FieldLine(name, value.content, value)


def column_values(cells: Sequence[Block], wanted: str) -> list[str]:
    """Return what the column of a role holds in a table, top to bottom; nothing if no column has the role."""
    rows = [list(row) for _, row in groupby(cells, key=lambda cell: cell.first_line)]
    roles = (
        [vocabulary().fields.get(field_key(plain_text(cell.content[:200]))) for cell in rows[0]]
        if rows
        else []
    )
    if len(rows) < 2 or wanted not in roles:
        return []
    place = roles.index(wanted)
    return [row[place].content for row in rows[1:] if place < len(row) and row[place].content.strip()]
