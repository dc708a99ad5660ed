"""The header of a document: YAML or TOML front matter, or lines such as `PEP: 484` at the top."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.domain.surface_form import fold
from app.services.parsing.toml_text import read_toml
from app.services.parsing.vocabulary import relation_named, vocabulary
from app.services.parsing.yaml_text import Unreadable, read_yaml

MOST_FIELDS = 256
"""A kind carries its fields as properties, and every filing reads them."""

LONGEST_NAME = 128

_FENCE = re.compile(
    r"\A---[ \t]*\n(?P<yaml>.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(?P<toml>.*?)(?:^|\n)\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"\A---[ \t]*\n\s*[A-Za-z][\w -]{0,40}:(?:\s|\Z)")
_LINE = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9 _-]{0,40}):(?:[ \t]+(?P<value>.*)|[ \t]*)")


@dataclass(frozen=True, slots=True)
class Header:
    """The fields a document starts with, in order and as text, and the body below them."""

    fields: dict[str, object]
    body: str
    warnings: tuple[str, ...] = ()


def read_header(text: str, prefixes: frozenset[str]) -> Header:
    """Split a document into the fields of its header and its body.

    What looks like a header and cannot be read as one stays in the body, with a warning.
    """
    header = _header(text, prefixes)
    warnings = list(header.warnings)
    return Header(bounded_fields(header.fields, warnings), header.body, tuple(warnings))


def _header(text: str, prefixes: frozenset[str]) -> Header:
    fenced = _FENCE.match(text)
    if fenced is not None:
        return _front_matter(text, fenced)
    toml = _TOML.match(text)
    if toml is not None:
        return _toml_front_matter(text, toml)
    if _OPENING.match(text):
        return Header({}, text, ("front matter opens with --- and never closes: read as text",))
    return _mail_header(text, prefixes)


def bounded_fields(fields: dict[str, object], warnings: list[str]) -> dict[str, object]:
    """Answer the first fields of a header, up to a number that a kind can carry as properties.

    What is left out, for being one too many or for a name that is too long, is told in the warnings.
    """
    named = {name: value for name, value in fields.items() if len(name) <= LONGEST_NAME}
    if len(named) < len(fields):
        warnings.append(f"left out a field whose name is longer than {LONGEST_NAME} characters")
    if len(named) > MOST_FIELDS:
        warnings.append(f"the header has {len(named)} fields; only the first {MOST_FIELDS} are read")
    return dict(list(named.items())[:MOST_FIELDS])


def field_role(name: str, prefixes: frozenset[str]) -> str | None:
    """Answer what a field of this name is for: a role of the vocabulary, "relation", or None."""
    folded = fold(name).replace("_", "-").replace(" ", "-")
    if folded.upper() in prefixes:
        return "identifier"
    role = vocabulary().fields.get(folded)
    return role or ("relation" if relation_named(name) else None)


def _front_matter(text: str, fenced: re.Match[str]) -> Header:
    body = text[fenced.end() :]
    try:
        value, warnings = read_yaml(fenced["yaml"])
    except Unreadable as problem:
        # A mark of comments in YAML, which a heading of the body never meets here.
        lines = [line for line in fenced["yaml"].split("\n") if not line.startswith("#")]
        fields = _lines_as_fields(lines)
        if fields is None:
            return Header({}, text, (f"the front matter could not be read: {problem}",))
        return Header(fields, body, (f"the front matter is no YAML and was read line by line: {problem}",))
    if isinstance(value, dict):
        return Header(value, body, tuple(warnings))
    if value is None:
        return Header({}, body, tuple(warnings))
    return Header({}, text, ("the front matter holds no fields; it was kept as text",))


def _toml_front_matter(text: str, fenced: re.Match[str]) -> Header:
    try:
        return Header(read_toml(fenced["toml"]), text[fenced.end() :])
    except Unreadable as problem:
        return Header({}, text, (f"the front matter could not be read: {problem}",))


def _mail_header(text: str, prefixes: frozenset[str]) -> Header:
    head, _, body = text.partition("\n\n")
    if not _LINE.match(head) or len(head) > 20_000:
        return Header({}, text)
    fields = _lines_as_fields(head.split("\n"))
    if fields is None or len(fields) < 2:
        return Header({}, text)
    roles = {field_role(name, prefixes) for name in fields}
    if not roles & {"identifier", "title"}:
        return Header({}, text)
    return Header(fields, body.lstrip("\n"))


def _lines_as_fields(lines: list[str]) -> dict[str, object] | None:
    """Read `Name: value` lines, folding indented ones into the line above; None when a line is neither."""
    fields: dict[str, object] = {}
    last: str | None = None
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is not None and match["name"] not in fields:
            last = match["name"]
            fields[last] = (match["value"] or "").strip() or None
        elif line[:1] in (" ", "\t") and last is not None:
            fields[last] = f"{fields[last] or ''} {line.strip()}".strip()
        elif line.strip() and match is None:
            return None
    return fields
