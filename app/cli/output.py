"""Write to the terminal: JSON for programs, and text in which stored data cannot control the terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson
from rich.console import Console, ConsoleOptions, RenderableType, RenderHook
from rich.segment import Segment
from rich.text import Text

from app.cli.escaping import escape, escape_json, one_line
from app.cli.guarded_streams import guard_redirected, unwrap_stream
from app.domain.temporal import is_unknown, rfc_3339


class Screen(Console):
    """Rich's console for untrusted text.

    Rich silently drops some control characters and passes others on. This class escapes all of them,
    before Rich reads a text and again when Rich renders it. Only the program's own colours and cursor
    moves remain.
    """

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(
            file=unwrap_stream(sys.stderr if stderr else sys.stdout),
            stderr=stderr,
            width=width,
            markup=False,
            highlight=False,
            emoji=False,
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the rendered segments, escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escape(segment.text))

    def render_str(self, text: str, **options: Any) -> Text:
        """Return an escaped text without markup."""
        return super().render_str(escape(text), **options)

    def push_render_hook(self, hook: RenderHook) -> None:
        """Add the hook of a progress bar, and guard the streams that the bar replaces."""
        super().push_render_hook(hook)
        guard_redirected()


def styled_text(text: str, style: str = "") -> Text:
    """Return an escaped text in a style."""
    return Text(escape(text), style=style)


_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def console() -> Screen:
    """Return a console on the standard output."""
    return Screen()


def error_console() -> Screen:
    """Return a console on the error output, for progress and errors."""
    return Screen(stderr=True)


def redraws(console: Console) -> bool:
    """Return whether a console can take back what it shows: a terminal that is not dumb, and no file."""
    return console.is_terminal and not console.is_dumb_terminal and console.file.isatty()


def say(text: str, *, is_result: bool = True) -> None:
    """Write an escaped text to the standard output, or to the error output when it is no result."""
    stream = sys.stdout if is_result else sys.stderr
    if stream is not None:
        stream.write(f"{escape(text)}\n")
        stream.flush()


def printable(text: str) -> str:
    """Return an escaped text on one line with single spaces."""
    return " ".join(one_line(text).split())


def moment_text(moment: datetime) -> str:
    """Return a moment as the API writes it, in UTC with a Z."""
    return rfc_3339(moment)


def start_text(moment: datetime, text: Callable[[datetime], str] = moment_text) -> str:
    """Return a moment in words, `unknown` if it stands for an unknown beginning."""
    return "unknown" if is_unknown(moment) else text(moment)


def day_text(moment: datetime) -> str:
    """Return the day of a moment in UTC, for lists."""
    return moment.astimezone(UTC).date().isoformat()


def properties_text(props: Mapping[str, Any]) -> str:
    """Return properties on one line, sorted by name: `status: Accepted; tags: ["queue"]`."""
    return printable("; ".join(f"{name}: {_value(value)}" for name, value in sorted(props.items())))


def _value(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def print_json(value: Any) -> None:
    """Write a JSON value on one line; moments become RFC 3339 with Z, ids become text.

    Control characters become JSON escapes. Half a character (a lone surrogate), which JSON cannot express,
    becomes the text of its escape.
    """
    try:
        data = _json_bytes(value)
    except orjson.JSONEncodeError:
        data = _json_bytes(_without_half_characters(value))
    _write_bytes(escape_json(data.decode()).encode())


def _json_bytes(value: Any) -> bytes:
    return orjson.dumps(value, default=_text, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)


def _text(value: object) -> str:
    """Return the text of the driver's own UUID class, which the encoder does not know."""
    if isinstance(value, UUID):
        return str(value)
    raise TypeError


def _without_half_characters(value: Any) -> Any:
    """Return a JSON value whose texts have their lone surrogates escaped."""
    if isinstance(value, str):
        return _HALF_CHARACTER.sub(lambda half: escape(half[0]), value)
    if isinstance(value, Mapping):
        return {
            _without_half_characters(name): _without_half_characters(each) for name, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [_without_half_characters(each) for each in value]
    return value


def _write_bytes(data: bytes) -> None:
    """Write bytes to the standard output, past its encoding: JSON is always UTF-8."""
    stream = unwrap_stream(sys.stdout)
    if stream is not None:
        stream.flush()
        stream.buffer.write(data)
        stream.flush()
