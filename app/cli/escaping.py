"""Escape text and log records so that they control no terminal and forge no line."""

from __future__ import annotations

import logging
import re
from copy import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from app.settings import Settings

    ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

# Tabs and line breaks stay, and so do the joiners that Indic and Arabic writing and emoji need.
_CONTROL_CHARACTERS = re.compile(
    "["
    "\x00-\x08\x0b-\x1f"  # controls, with the escape that begins most sequences
    "\x7f-\x9f"  # delete, and controls of eight bits
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what turns the direction of reading
    "\u2028\u2029"  # ends of lines and paragraphs
    "\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb"  # what has no width
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"  # tags, which spell what nobody sees
    "\ud800-\udfff"  # halves of characters, which stand for bytes that are no UTF-8
    "]"
)
_LINE_BREAK = re.compile(r"\r?\n|\t")


def escape(text: str) -> str:
    """Return a text with control characters as Python escapes; line breaks and tabs stay.

    Escaping an escaped text changes nothing.
    """
    return _CONTROL_CHARACTERS.sub(_python_escape, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return an escaped text on one line, with a space for each line break and tab."""
    return escape(_LINE_BREAK.sub(" ", text))


def escape_json(text: str) -> str:
    """Return equivalent JSON in which control characters are JSON escapes."""
    return _CONTROL_CHARACTERS.sub(_json_escape, text)


def _python_escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # the byte of a name that is no UTF-8
        code -= 0xDC00
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _json_escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


_BAR = "  | "  # no record begins with it


class OneLineFormatter(logging.Formatter):
    """Writes each record on one escaped line, and each line of a traceback behind a bar."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """Return a record as one escaped line."""
        safe = copy(record)
        safe.message = one_line(record.message)
        if isinstance(record.args, tuple):
            safe.args = tuple(one_line(each) if isinstance(each, str) else each for each in record.args)
        return super().formatMessage(safe)

    def formatException(self, ei: ExceptionInfo) -> str:  # noqa: N802
        """Return the lines of a traceback, each behind a bar."""
        return _with_bar(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        """Return the lines of a stack, each behind a bar."""
        return _with_bar(super().formatStack(stack_info))


def configure_logging(settings: Settings) -> None:
    """Log to the error output at the level of the settings."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneLineFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=settings.log_level, handlers=[handler])


def _with_bar(lines: str) -> str:
    return "\n".join(_BAR + line for line in escape(lines).split("\n"))
