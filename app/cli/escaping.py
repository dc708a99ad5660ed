"""Text that steers no terminal and forges no line: what would do either is shown as Python writes it."""

from __future__ import annotations

import re

# Tabs and line breaks stay, and so do the joiners that Indic and Arabic writing and emoji need.
_STEERING = re.compile(
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


def escaped(text: str) -> str:
    """Return a text of several lines; its line breaks and tabs stay, and all else that steers is shown.

    What is escaped already stays as it is: this may be done twice.
    """
    return _STEERING.sub(_shown, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return a text on one line: a space stands for each line break and tab, and all else is shown."""
    return escaped(_LINE_BREAK.sub(" ", text))


def escaped_json(text: str) -> str:
    """Return the JSON of a value, one that means the same, with nothing in it that steers a terminal."""
    return _STEERING.sub(_json, text)


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # the byte of a name that is no UTF-8
        code -= 0xDC00
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
