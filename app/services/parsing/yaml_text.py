"""YAML read as text: every scalar keeps its spelling, and nothing in it can surprise the reader."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from app.services.parsing.cleaning import clean_text

DEEPEST = 12
LONGEST = 100_000

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})

Value = str | list[object] | dict[str, object] | None


class Unreadable(Exception):
    """The text is no YAML that can be read as fields."""


def read_yaml(text: str) -> tuple[Value, list[str]]:
    """Answer the value a YAML text holds, scalars as text, with warnings on what was left out.

    Events are read rather than nodes, so depth is bounded and an alias is never followed.
    Raises Unreadable when it is not YAML, or is too deep or too long.
    """
    if len(text) > LONGEST:
        raise Unreadable(f"it is longer than {LONGEST} characters")
    warnings: list[str] = []
    try:
        events = iter(yaml.parse(text, Loader=_LOADER))
        for event in events:
            if isinstance(event, yaml.NodeEvent):
                return _value(event, events, warnings, 0), warnings
    except (yaml.YAMLError, ValueError) as problem:
        raise Unreadable(str(problem).split("\n", 1)[0]) from problem
    return None, warnings


def _value(event: yaml.Event, events: Iterator[yaml.Event], warnings: list[str], depth: int) -> Value:
    if depth > DEEPEST:
        raise Unreadable(f"it is nested deeper than {DEEPEST} levels")
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
        items.append(_value(event, events, warnings, depth + 1))
    return items


def _mapping(events: Iterator[yaml.Event], warnings: list[str], depth: int) -> dict[str, object]:
    fields: dict[str, object] = {}
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            break
        key = _value(event, events, warnings, depth + 1)
        value = _value(next(events), events, warnings, depth + 1)
        name = key if isinstance(key, str) else str(key)
        if name in fields:
            warnings.append(f"the field {name} stands twice in the front matter; the first one counts")
        else:
            fields[name] = value
    return fields
