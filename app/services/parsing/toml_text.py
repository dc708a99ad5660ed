"""TOML read as text, for front matter between lines of +++."""

from __future__ import annotations

import re
import tomllib

from app.services.parsing.cleaning import clean_text
from app.services.parsing.yaml_text import DEEPEST, LONGEST, Unreadable

MAX_KEY_PARTS = 100
"""The parser keeps every beginning of a dotted key, in memory that grows with the square of its parts."""

_PART = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[\w-]+)[ \t]*"
_LONG_KEY = re.compile(rf"(?:^|[\[{{,])[ \t]*(?:{_PART}\.[ \t]*){{{MAX_KEY_PARTS}}}", re.MULTILINE)


def read_toml(text: str) -> dict[str, object]:
    """Answer the fields that a TOML text holds, scalars as text.

    Raises Unreadable when it is not TOML, or is too deep or too long.
    """
    if len(text) > LONGEST:
        raise Unreadable(f"it is longer than {LONGEST} characters")
    if _LONG_KEY.search(text) is not None:
        raise Unreadable(f"one of its keys has more than {MAX_KEY_PARTS} parts")
    try:
        return {clean_text(name): _value(value, 1) for name, value in tomllib.loads(text).items()}
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as problem:
        raise Unreadable(str(problem).split("\n", 1)[0]) from problem


def _value(value: object, depth: int) -> object:
    if depth > DEEPEST:
        raise Unreadable(f"it is nested deeper than {DEEPEST} levels")
    if isinstance(value, dict):
        return {clean_text(str(name)): _value(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, list):
        return [_value(inner, depth + 1) for inner in value]
    return clean_text(str(value).lower() if isinstance(value, bool) else str(value))
