"""Unpacking xz in pieces, with a bound on the memory that the file itself asks for."""

from __future__ import annotations

import io
import lzma
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_MEMORY = 128 * 1024 * 1024
"""Twice what `xz -9` needs; a file may ask for gigabytes."""

_PIECE = 64 * 1024


class _Unpacked(io.RawIOBase):
    """The content of an xz file of one stream or several; raises EOFError where one is cut off."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._stream = _stream()

    def readable(self) -> bool:
        """Return that this can be read, as `io` asks."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Put what comes next into a buffer, and return how many bytes that is: 0 at the end."""
        room = memoryview(buffer).cast("B")
        while True:
            given = self._stream.unused_data
            if self._stream.eof:
                # By the format, zeros may follow a stream.
                while not (given := given.lstrip(b"\0")):
                    if not (given := self._file.read(_PIECE)):
                        return 0
                self._stream = _stream()
            elif self._stream.needs_input and not (given := self._file.read(_PIECE)):
                raise EOFError
            if piece := self._stream.decompress(given, len(room)):
                room[: len(piece)] = piece
                return len(piece)


def _stream() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(memlimit=MAX_MEMORY)


def open_xz(file: IO[bytes]) -> io.BufferedReader:
    """Return the content of an xz file; reading raises LZMAError or EOFError where it is damaged."""
    return io.BufferedReader(_Unpacked(file), _PIECE)
