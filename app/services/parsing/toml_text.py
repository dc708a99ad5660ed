"""TOML read as text, for front matter between lines of +++."""

from __future__ import annotations

import tomllib

from app.services.parsing.cleaning import clean_text
from app.services.parsing.yaml_text import LONGEST, Unreadable


def read_toml(text: str) -> dict[str, object]:
    """Answer the fields that a TOML text holds, scalars as text.

    Raises Unreadable when it is not TOML, or is too deep or too long.
    """
    if len(text) > LONGEST:
        raise Unreadable(f"it is longer than {LONGEST} characters")
    try:
        return {clean_text(name): _value(value) for name, value in tomllib.loads(text).items()}
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as problem:
        raise Unreadable(str(problem).split("\n", 1)[0]) from problem


def _value(value: object) -> object:
    if isinstance(value, dict):
        return {clean_text(str(name)): _value(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_value(inner) for inner in value]
    return clean_text(str(value).lower() if isinstance(value, bool) else str(value))
