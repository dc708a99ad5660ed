"""The header of a document: YAML, TOML or JSON front matter, or lines such as `PEP: 484` at the top."""

from __future__ import annotations

import html
import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import yaml

from app.services.parsing.text import clean_text
from app.services.parsing.vocabulary import field_key, relation_named, vocabulary

MAX_DEPTH = 12
MAX_LENGTH = 100_000

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})

Value = str | list[object] | dict[str, object] | None


class Unreadable(Exception):
    """The text cannot be read as header fields."""


def read_yaml(text: str) -> tuple[Value, list[str]]:
    """Return the value of a YAML text, scalars as text, with warnings about the parts left out.

    Events are read rather than nodes, so depth is bounded and an alias is never followed.
    Raises Unreadable when it is not YAML, or is too deep or too long.
    """
    if len(text) > MAX_LENGTH:
        raise Unreadable(f"it is longer than {MAX_LENGTH} characters")
    warnings: list[str] = []
    try:
        events = iter(yaml.parse(text, Loader=_LOADER))
        for event in events:
            if isinstance(event, yaml.NodeEvent):
                return _yaml_value(event, events, warnings, 0), warnings
    except (yaml.YAMLError, ValueError) as problem:
        raise Unreadable(str(problem).split("\n", 1)[0]) from problem
    return None, warnings


def _yaml_value(event: yaml.Event, events: Iterator[yaml.Event], warnings: list[str], depth: int) -> Value:
    if depth > MAX_DEPTH:
        raise Unreadable(f"it is nested deeper than {MAX_DEPTH} levels")
    if isinstance(event, yaml.ScalarEvent):
        # An escape such as \\0 becomes a character only here, behind the entrance for text.
        return None if event.style is None and event.value in _NULLS else clean_text(str(event.value))
    if isinstance(event, yaml.SequenceStartEvent):
        return _sequence(events, warnings, depth)
    if isinstance(event, yaml.MappingStartEvent):
        return _mapping(events, warnings, depth)
    warnings.append("an alias in the front matter was not followed")
    return None


def _sequence(events: Iterator[yaml.Event], warnings: list[str], depth: int) -> list[object]:
    items: list[object] = []
    for event in events:
        if isinstance(event, yaml.SequenceEndEvent):
            break
        items.append(_yaml_value(event, events, warnings, depth + 1))
    return items


def _mapping(events: Iterator[yaml.Event], warnings: list[str], depth: int) -> dict[str, object]:
    fields: dict[str, object] = {}
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            break
        key = _yaml_value(event, events, warnings, depth + 1)
        value = _yaml_value(next(events), events, warnings, depth + 1)
        name = key if isinstance(key, str) else str(key)
        if name in fields:
            warnings.append(f"the field {name} is in the front matter twice; the first one counts")
        else:
            fields[name] = value
    return fields


MAX_KEY_PARTS = 100
"""The parser keeps every beginning of a dotted key, in memory that grows with the square of its parts."""

_PART = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[\w-]+)[ \t]*"
_LONG_KEY = re.compile(rf"(?:^|[\[{{,])[ \t]*(?:{_PART}\.[ \t]*){{{MAX_KEY_PARTS}}}", re.MULTILINE)


def read_toml(text: str) -> dict[str, object]:
    """Return the fields that a TOML text holds, scalars as text.

    Raises Unreadable when it is not TOML, or is too deep or too long.
    """
    if len(text) > MAX_LENGTH:
        raise Unreadable(f"it is longer than {MAX_LENGTH} characters")
    if _LONG_KEY.search(text) is not None:
        raise Unreadable(f"one of its keys has more than {MAX_KEY_PARTS} parts")
    try:
        return {clean_text(name): _toml_value(value, 1) for name, value in tomllib.loads(text).items()}
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as problem:
        raise Unreadable(str(problem).split("\n", 1)[0]) from problem


def read_json(text: str) -> dict[str, object]:
    """Return the fields that a JSON object holds, scalars as text.

    Raises Unreadable when it is no JSON object, or is too deep or too long.
    """
    if len(text) > MAX_LENGTH:
        raise Unreadable(f"it is longer than {MAX_LENGTH} characters")
    try:
        value = json.loads(text)
    except (RecursionError, ValueError) as problem:
        raise Unreadable(str(problem).split("\n", 1)[0]) from problem
    if not isinstance(value, dict):
        raise Unreadable("it is no object")
    return {clean_text(name): _toml_value(inner, 1) for name, inner in value.items()}


def _toml_value(value: object, depth: int) -> object:
    if value is None:
        return None
    if depth > MAX_DEPTH:
        raise Unreadable(f"it is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        return {clean_text(str(name)): _toml_value(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, list):
        return [_toml_value(inner, depth + 1) for inner in value]
    return clean_text(str(value).lower() if isinstance(value, bool) else str(value))


MAX_FIELDS = 256
"""A kind carries its fields as properties, and every filing reads them."""

MAX_NAME_LENGTH = 128

_MAX_LINE = 2_000

_FENCE = re.compile(
    r"\A---(?:yaml)?[ \t]*\n(?P<yaml>.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_TOML = re.compile(
    r"\A(?:\+\+\+|---toml)[ \t]*\n(?P<toml>.*?)(?:^|\n)(?:\+\+\+|---)[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_JSON = re.compile(
    r"\A(?:---json|;;;|```json)[ \t]*\n(?P<json>\s*\{.*?)(?:^|\n)(?:---|;;;|```)[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_OBJECT = re.compile(r"\A(?P<json>\{[ \t]*\n.*?\n\})[ \t]*(?:\n|\Z)", re.DOTALL)
_OPENING = re.compile(r"\A---[ \t]*\n\s*[A-Za-z][\w -]{0,40}:(?:\s|\Z)")
_LINE = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9 _-]{0,40}):(?:[ \t]+(?P<value>.*)|[ \t]*)")


@dataclass(frozen=True, slots=True)
class Header:
    """The fields a document starts with, in order and as text, and the body below them."""

    fields: dict[str, object]
    body: str
    warnings: tuple[str, ...] = ()


_FIELD_START = re.compile(r"[\s\"'{,-]*(?P<name>[^\s\"':={}\[\],-][^\"':={}\n]{0,128}?)[\"']?\s*[:=]")
MAX_FIELD_LINES = 200


@dataclass(frozen=True, slots=True)
class HeaderLines:
    """The lines of a file above its body, and the place of the first one that holds each field."""

    texts: tuple[str, ...] = ()
    places: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def above(cls, body: str, text: str) -> HeaderLines:
        """Create the lines of a text above the body that it ends with."""
        texts = tuple(text[: len(text) - len(body)].split("\n")[:-1])
        places: dict[str, int] = {}
        for place, line in enumerate(texts):
            if (named := _FIELD_START.match(line)) is not None:
                places.setdefault(named["name"].strip(), place)
        return cls(texts, places)

    def line_of(self, name: str, value: str = "") -> int:
        """Return the number of the line that holds a field, or of the one below it that has its value.

        A field that is not in these lines has the first one.
        """
        start = self.places.get(name)
        if start is None:
            return 1
        for place in range(start, min(len(self.texts), start + MAX_FIELD_LINES)):
            if place > start and self.texts[place][:1] not in (" ", "\t", "-", "]", "}"):
                break
            if value and value in self.texts[place]:
                return place + 1
        return start + 1


def read_header(text: str, prefixes: frozenset[str]) -> Header:
    """Split a document into the fields of its header and its body.

    A header that cannot be read stays in the body, with a warning.
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
        return _read_or_keep(text, toml.end(), read_toml, toml["toml"])
    objects = _JSON.match(text) or _OBJECT.match(text)
    if objects is not None:
        return _read_or_keep(text, objects.end(), read_json, objects["json"])
    if _OPENING.match(text):
        return Header({}, text, ("the front matter starts with --- and never ends: it was read as text",))
    return _mail_header(text, prefixes)


def bounded_fields(fields: dict[str, object], warnings: list[str]) -> dict[str, object]:
    """Return the first fields of a header, up to a number that a kind can carry as properties.

    Warnings report the fields left out, because there are too many or a name is too long.
    """
    named = {name: value for name, value in fields.items() if len(name) <= MAX_NAME_LENGTH}
    if len(named) < len(fields):
        warnings.append(f"left out a field whose name is longer than {MAX_NAME_LENGTH} characters")
    if len(named) > MAX_FIELDS:
        warnings.append(f"the header has {len(named)} fields; only the first {MAX_FIELDS} are read")
    return dict(list(named.items())[:MAX_FIELDS])


def field_role(name: str, prefixes: frozenset[str]) -> str | None:
    """Return the role of a field by its name: a role of the vocabulary, "relation", or None."""
    key = field_key(name)
    if key.upper() in prefixes:
        return "identifier"
    role = vocabulary().fields.get(key)
    return role or ("relation" if relation_named(name) else None)


def _front_matter(text: str, fenced: re.Match[str]) -> Header:
    body = text[fenced.end() :]
    try:
        value, warnings = read_yaml(fenced["yaml"])
    except Unreadable as problem:
        return _mended(text, fenced["yaml"], body, problem)
    if isinstance(value, dict):
        return Header(value, body, tuple(warnings))
    if value is None:
        return Header({}, body, tuple(warnings))
    return Header({}, text, ("the front matter has no fields; it was read as text",))


_PLAIN_VALUE = re.compile(r"(?P<start>[A-Za-z][\w .-]{0,80}:[ \t]+)(?P<value>[^\s|>#].*)")


def _mended(text: str, written: str, body: str, problem: Unreadable) -> Header:
    """Read front matter that is no YAML as its writer meant it: with quotes, or else line by line."""
    reason = f"the front matter is not YAML and was read line by line: {problem}"
    if len(written) <= MAX_LENGTH:
        mended = "\n".join(_quoted(line) for line in written.replace("\t", "  ").split("\n"))
        try:
            value, warnings = read_yaml(mended)
        except Unreadable:
            value, warnings = None, []
        if isinstance(value, dict):
            return Header(value, body, (f"{reason}; put quotes around such a value", *warnings))
    # A mark of comments in YAML, which a heading of the body never meets here.
    fields = _lines_as_fields([line for line in written.split("\n") if not line.startswith("#")])
    if fields is None:
        return Header({}, text, (f"the front matter could not be read: {problem}",))
    return Header({name: _value_alone(value) for name, value in fields.items()}, body, (reason,))


def _quoted(line: str) -> str:
    """Return a line `name: value` with quotes around the value where YAML cannot read it alone."""
    match = _PLAIN_VALUE.fullmatch(line)
    if match is None or len(line) > _MAX_LINE:
        return line
    try:
        value, _ = read_yaml(line)
        if isinstance(value, dict) and len(value) == 1:
            return line
    except Unreadable:
        pass
    return match["start"] + json.dumps(_without_quotes(match["value"].strip()), ensure_ascii=False)


def _without_quotes(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0] else text


def _value_alone(text: object) -> object:
    """Return a value without its quotes, and as YAML reads it alone where that is a list."""
    if not isinstance(text, str) or text[:1] != "[":
        return _without_quotes(text) if isinstance(text, str) else text
    try:
        value, _ = read_yaml(text)
    except Unreadable:
        return text
    return value if isinstance(value, list) else text


def _read_or_keep(text: str, end: int, read: Callable[[str], dict[str, object]], written: str) -> Header:
    try:
        return Header(read(written), text[end:])
    except Unreadable as problem:
        return Header({}, text, (f"the front matter could not be read: {problem}",))


def read_sidecar(text: str, warnings: list[str]) -> dict[str, object]:
    """Return the fields of a YAML file that lies beside a document; none, with a warning, if it has none."""
    try:
        value, found = read_yaml(clean_text(text))
    except Unreadable as problem:
        warnings.append(f"the YAML beside the document could not be read: {problem}")
        return {}
    warnings.extend(found)
    return bounded_fields(value, warnings) if isinstance(value, dict) else {}


MAX_MAIL_HEADER = 20_000

_SET_APART = re.compile(
    r"\A\n{0,5}(?P<above>#{1,6} [^\n]{0,400}\n\n?)?"
    r"(?:(?P<fence>```|~~~)[^\n`]{0,40}\n(?P<fenced>.{1,20000}?)\n(?P=fence)[ \t]*(?:\n|\Z)"
    r"|<pre>(?P<pre>.{1,20000}?)</pre>[ \t]*(?:\n|\Z)"
    r"|(?P<indented>(?:[ \t]+[^\n]*(?:\n|\Z)){2,200}))",
    re.DOTALL | re.IGNORECASE,
)
"""A block at the top, below at most a heading: fenced, as HTML, or indented."""


def _mail_header(text: str, prefixes: frozenset[str]) -> Header:
    head, _, body = text.partition("\n\n")
    if _LINE.match(head) and len(head) <= MAX_MAIL_HEADER:
        fields = _mail_fields(head, prefixes)
        return Header({}, text) if fields is None else Header(fields, body.lstrip("\n"))
    block = _SET_APART.match(text)
    if block is None:
        return Header({}, text)
    written = block["fenced"] or html.unescape(block["pre"] or "") or block["indented"]
    fields = _mail_fields(textwrap.dedent(written).strip("\n"), prefixes)
    if fields is None or not _is_of_document(fields, prefixes):
        return Header({}, text)
    return Header(fields, (block["above"] or "") + text[block.end() :].lstrip("\n"))


def _is_of_document(fields: Mapping[str, object], prefixes: frozenset[str]) -> bool:
    """Return whether the lines of a block speak of a document: code may have a `name` and a `version` too."""
    roles = {field_role(name, prefixes) for name in fields} - {None}
    is_named = "identifier" in roles or any(field_key(name) == "title" for name in fields)
    return is_named and len(roles) > 1


def _mail_fields(head: str, prefixes: frozenset[str]) -> dict[str, object] | None:
    """Return the fields of lines as in mail; None unless there are two, one a title or an identifier."""
    fields = _lines_as_fields(head.split("\n"))
    if fields is None or len(fields) < 2:
        return None
    return fields if {field_role(name, prefixes) for name in fields} & {"identifier", "title"} else None


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
