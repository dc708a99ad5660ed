"""The streams of a process, guarded: whoever writes to them, nothing that is written steers a terminal."""

from __future__ import annotations

import io
import logging
import sys
from typing import TextIO, cast

from rich.file_proxy import FileProxy

from app.cli.escaping import escaped
from app.cli.log import OneLine

_STREAMS = ("stdout", "stderr")


class Guard(io.TextIOBase):
    """A text stream that shows what would steer a terminal, and passes all else on.

    It offers no binary stream beneath it, so that nothing goes round it unasked.
    """

    def __init__(self, beneath: TextIO) -> None:
        self.beneath = beneath

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream beneath."""
        return self.beneath.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """What the stream beneath does with characters that its encoding lacks."""
        return self.beneath.errors

    def write(self, text: str) -> int:
        """Write a text, escaped; return its length."""
        self.beneath.write(escaped(text))
        return len(text)

    def flush(self) -> None:
        """Flush the stream beneath."""
        self.beneath.flush()

    def isatty(self) -> bool:
        """Return whether the stream beneath is a terminal."""
        return self.beneath.isatty()

    def fileno(self) -> int:
        """Return the descriptor of the stream beneath."""
        return self.beneath.fileno()

    def writable(self) -> bool:
        """Return True."""
        return True


def guard_output() -> None:
    """Guard the output and the error output of this process, and the log that nobody has set up.

    Afterwards a character that the encoding lacks is escaped too, and ends no command. Doing it twice is
    as good as once.
    """
    for name in _STREAMS:
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):  # None where the process was started without it
            stream.reconfigure(errors="backslashreplace")
            setattr(sys, name, Guard(stream))
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(OneLine())


def guard_redirected() -> None:
    """Guard what a progress bar put in the place of the streams: it would carry out escape sequences."""
    for name in _STREAMS:
        stream = getattr(sys, name)
        if isinstance(stream, FileProxy):
            setattr(sys, name, Guard(cast("TextIO", stream)))


def unguarded(stream: TextIO | None) -> TextIO | None:
    """Return the stream beneath all guards, for text that is safe already and for colours of our own."""
    beneath: object = stream
    while isinstance(beneath, Guard | FileProxy):
        beneath = beneath.beneath if isinstance(beneath, Guard) else beneath.rich_proxied_file
    return cast("TextIO | None", beneath)
