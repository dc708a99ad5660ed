"""Guards on the output streams of a process: they escape what anybody writes, so it controls no terminal."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO, cast

from rich.file_proxy import FileProxy

from app.cli.escaping import OneLineFormatter, escape

_STREAMS = ("stdout", "stderr")


class GuardedStream(io.TextIOBase):
    """A text stream that escapes control characters before it writes to the wrapped stream.

    It has no `buffer`, so that no library writes past the guard.
    """

    def __init__(self, wrapped: TextIO) -> None:
        self.wrapped = wrapped

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the wrapped stream."""
        return self.wrapped.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """How the wrapped stream handles characters that its encoding lacks."""
        return self.wrapped.errors

    def write(self, text: str) -> int:
        """Write a text, escaped; return its length."""
        self.wrapped.write(escape(text))
        return len(text)

    def flush(self) -> None:
        """Flush the wrapped stream."""
        self.wrapped.flush()

    def isatty(self) -> bool:
        """Return whether the wrapped stream is a terminal."""
        return self.wrapped.isatty()

    def fileno(self) -> int:
        """Return the file descriptor of the wrapped stream."""
        return self.wrapped.fileno()

    def writable(self) -> bool:
        """Return True."""
        return True


def guard_output() -> None:
    """Guard the output and the error output of this process, and the default log handler.

    Afterwards a character that the encoding lacks is escaped too, and does not fail the command. A second
    call changes nothing.
    """
    for name in _STREAMS:
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):  # None where the process was started without it
            stream.reconfigure(errors="backslashreplace")
            setattr(sys, name, GuardedStream(stream))
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(OneLineFormatter())


def guard_redirected() -> None:
    """Guard the proxies that a progress bar installs as streams, since they pass escape sequences on."""
    for name in _STREAMS:
        stream = getattr(sys, name)
        if isinstance(stream, FileProxy):
            setattr(sys, name, GuardedStream(cast("TextIO", stream)))


@contextmanager
def unguarded_output() -> Iterator[None]:
    """Let the output be the wrapped stream in the block, for a protocol that a program reads."""
    guarded = sys.stdout
    sys.stdout = unwrap_stream(guarded) or guarded
    try:
        yield
    finally:
        sys.stdout = guarded


def unwrap_stream(stream: TextIO | None) -> TextIO | None:
    """Return the stream inside all guards, for text that is escaped already and for our own colours."""
    wrapped: object = stream
    while isinstance(wrapped, GuardedStream | FileProxy):
        wrapped = wrapped.wrapped if isinstance(wrapped, GuardedStream) else wrapped.rich_proxied_file
    return cast("TextIO | None", wrapped)
