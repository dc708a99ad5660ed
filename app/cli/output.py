"""Writing to the terminal: JSON for programs, and text that nothing stored can turn into commands."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from rich.console import Console, ConsoleOptions, RenderableType, RenderHook
from rich.segment import Segment
from rich.text import Text

from app.cli.escaping import escaped, escaped_json, one_line
from app.cli.guarded_streams import guard_redirected, unguarded
from app.domain.temporal import rfc_3339


class Screen(Console):
    """Rich's console, for text that somebody else wrote.

    Rich drops some controls unseen and passes others on. Here all are escaped, before Rich sees a text and
    once more when it is laid out; what remains are the colours and cursor moves of the program's own.
    """

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(
            file=unguarded(sys.stderr if stderr else sys.stdout),
            stderr=stderr,
            width=width,
            markup=False,
            highlight=False,
            emoji=False,
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the pieces of what is to be shown, escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escaped(segment.text))

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text, escaped and with no style in it."""
        return super().render_str(escaped(text), **options)

    def push_render_hook(self, hook: RenderHook) -> None:
        """Take in a progress bar; what others write meanwhile is guarded as before."""
        super().push_render_hook(hook)
        guard_redirected()


def styled(text: str, style: str = "") -> Text:
    """Return a text for a screen, escaped, in a style of the program's own."""
    return Text(escaped(text), style=style)


_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def console() -> Screen:
    """Return the console of the result; it takes text as it is, with no markup in it."""
    return Screen()


def error_console() -> Screen:
    """Return the console of what is told beside the result: progress, and what went wrong."""
    return Screen(stderr=True)


def say(text: str, *, is_result: bool = True) -> None:
    """Write lines as they are, but for what steers a terminal; beside the result when they are none of it."""
    stream = sys.stdout if is_result else sys.stderr
    if stream is not None:
        stream.write(f"{escaped(text)}\n")
        stream.flush()


def printable(text: str) -> str:
    """Return a text on one line with single spaces; what would steer a terminal is shown as an escape."""
    return " ".join(one_line(text).split())


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 document`, `1,200 documents`; `many` is for words without s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def moment_text(moment: datetime) -> str:
    """Return a moment as the API writes it, in UTC with a Z."""
    return rfc_3339(moment)


def properties_text(props: Mapping[str, Any]) -> str:
    """Return properties on one line, by name: `status: Accepted; tags: ["queue"]`."""
    return printable("; ".join(f"{name}: {_value(value)}" for name, value in sorted(props.items())))


def _value(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def print_json(value: Any) -> None:
    """Write one JSON value on one line; moments become RFC 3339 with Z, ids become text.

    What would steer a terminal is escaped as JSON escapes it. Half a character, which JSON has no word for,
    is shown as text.
    """
    try:
        data = _encoded(value)
    except orjson.JSONEncodeError:
        data = _encoded(_whole(value))
    _write_bytes(escaped_json(data.decode()).encode())


def _encoded(value: Any) -> bytes:
    return orjson.dumps(value, default=_text, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)


def _text(value: object) -> str:
    """Write the driver's own kind of UUID, which the encoder does not know."""
    if isinstance(value, UUID):
        return str(value)
    raise TypeError


def _whole(value: Any) -> Any:
    """Return a value of lists, objects and texts with no half of a character in it."""
    if isinstance(value, str):
        return _HALF_CHARACTER.sub(lambda half: escaped(half[0]), value)
    if isinstance(value, Mapping):
        return {_whole(name): _whole(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(each) for each in value]
    return value


def _write_bytes(data: bytes) -> None:
    """Write to the output itself, which is UTF-8 for programs whatever a terminal takes."""
    stream = unguarded(sys.stdout)
    if stream is not None:
        stream.flush()
        stream.buffer.write(data)
        stream.flush()
