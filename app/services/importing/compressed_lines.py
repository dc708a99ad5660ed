"""Reading the lines of a row file, plain or compressed, within limits of size and memory."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from app.errors import Invalid
from app.services.importing.interruption import IsStopped, Stopped
from app.services.importing.open_file import open_file

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_MEMORY = 128 * 1024 * 1024
"""Twice what `xz -9` needs; a file may ask for gigabytes."""

_UNPACKED_PIECE = 64 * 1024


class _Unpacked(io.RawIOBase):
    """The content of an xz file of one stream or several; raises EOFError where one is cut off."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._stream = _stream()

    def readable(self) -> bool:
        """Return True, as `io` requires of a stream that can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read the next bytes into a buffer and return their number: 0 at the end."""
        room = memoryview(buffer).cast("B")
        while True:
            given = self._stream.unused_data
            if self._stream.eof:
                # By the format, zeros may follow a stream.
                while not (given := given.lstrip(b"\0")):
                    if not (given := self._file.read(_UNPACKED_PIECE)):
                        return 0
                self._stream = _stream()
            elif self._stream.needs_input and not (given := self._file.read(_UNPACKED_PIECE)):
                raise EOFError
            if piece := self._stream.decompress(given, len(room)):
                room[: len(piece)] = piece
                return len(piece)


def _stream() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(memlimit=MAX_MEMORY)


def open_xz(file: IO[bytes]) -> io.BufferedReader:
    """Return the content of an xz file; reading raises LZMAError or EOFError where it is damaged."""
    return io.BufferedReader(_Unpacked(file), _UNPACKED_PIECE)


MAX_LINE = 32 * 1024 * 1024
MAX_SKIPPED = 64 * 1024 * 1024
"""At most this much of a row that is too long is skipped to find the next row."""

MIN_UNPACKED = 16 * 1024 * 1024
MAX_RATIO = 100
"""A compressed file may unpack to this many times its size, or to `MIN_UNPACKED`; ten times is usual."""

MAX_BLANK = 100_000
"""After this many blank lines in a row, the rest of the file is not read."""

_PACKED = (".gz", ".xz")
_PIECE = 1024 * 1024


@dataclass(slots=True)
class _Opened:
    """An open file and the number of bytes that may be read; for a packed file, more of them is an error."""

    file: IO[bytes]
    most: int
    is_packed: bool
    is_stopped: IsStopped
    taken: int = 0

    def next(self, length: int) -> bytes:
        """Return the rest of a line, at most `length` bytes of it; empty at the end.

        Raises Invalid for a file that unpacks to too much, and Stopped.
        """
        if self.is_stopped():
            raise Stopped
        left = self.most - self.taken
        if left <= 0 and not self.is_packed:
            return b""
        line = self.file.readline(min(length, left + 1))
        self.taken += len(line)
        if self.is_packed and self.taken > self.most:
            raise Invalid(f"the file unpacks to more than {self.most} bytes; the rest of it is not read")
        return line


def read_lines(path: Path, is_stopped: IsStopped) -> Iterator[tuple[int, bytes | Invalid]]:
    """Yield the lines that are not blank with their numbers; an error that ends the reading comes last.

    Lines added to the file while it is read are not read. Raises Stopped once `is_stopped` says so.
    """
    number = 0
    try:
        with _opened(path, is_stopped) as opened:
            for number, line in _bounded(opened):
                yield number, line
    except EOFError:
        yield number + 1, Invalid("the compressed file is truncated here")
    except (OSError, lzma.LZMAError, zlib.error) as error:
        yield number + 1, Invalid(f"the rest of the file cannot be read: {error}")
    except Invalid as error:
        yield number + 1, error


@contextmanager
def _opened(path: Path, is_stopped: IsStopped) -> Iterator[_Opened]:
    """Open a file that a person named, who may name a link; never block on a pipe or device."""
    suffix = path.suffix.lower()
    with open_file(path.resolve()) as file:
        size = os.fstat(file.fileno()).st_size
        if suffix not in _PACKED:
            yield _Opened(file, size, False, is_stopped)
            return
        most = max(MIN_UNPACKED, MAX_RATIO * size)
        unpacked = cast(IO[bytes], gzip.GzipFile(fileobj=file)) if suffix == ".gz" else open_xz(file)
        with unpacked:
            yield _Opened(unpacked, most, True, is_stopped)


def _bounded(opened: _Opened) -> Iterator[tuple[int, bytes | Invalid]]:
    number = blank = 0
    while line := opened.next(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            yield number, Invalid(f"the row is longer than {MAX_LINE} bytes")
            _skip_rest(opened)
        elif line.strip():
            blank = 0
            yield number, line
        elif (blank := blank + 1) > MAX_BLANK:
            raise Invalid(f"more than {MAX_BLANK} lines in a row are blank; the rest of the file is not read")


def _skip_rest(opened: _Opened) -> None:
    skipped = 0
    while (piece := opened.next(_PIECE)) and not piece.endswith(b"\n"):
        skipped += len(piece)
        if skipped > MAX_SKIPPED:
            raise Invalid(f"the row has another {MAX_SKIPPED} bytes; the rest of the file is not read")
