"""Writing to the terminal: JSON for programs, and text that nothing stored can turn into commands."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from rich.console import Console

from app.domain.moment import rfc_3339


def console() -> Console:
    """Answer the console of the result; it takes text as it is, with no markup in it."""
    return Console(markup=False, highlight=False, emoji=False)


def printable(text: str) -> str:
    """Answer a text on one line, without characters that steer a terminal."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def counted(count: int, one: str, many: str | None = None) -> str:
    """Answer a number with its noun: `1 document`, `1,200 documents`; `many` is for words without s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def moment_text(moment: datetime) -> str:
    """Answer a moment as the API writes it, in UTC with a Z."""
    return rfc_3339(moment)


def properties_text(props: Mapping[str, Any]) -> str:
    """Answer properties on one line, by name: `status: Accepted; tags: ["queue"]`."""
    return printable("; ".join(f"{name}: {_value(value)}" for name, value in sorted(props.items())))


def _value(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def print_json(value: Any) -> None:
    """Write one JSON value on one line; moments become RFC 3339 with Z, ids become text."""
    data = orjson.dumps(value, default=_text, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def _text(value: object) -> str:
    """Write the driver's own kind of UUID, which the encoder does not know."""
    if isinstance(value, UUID):
        return str(value)
    raise TypeError
