"""Reading file contents by their object ids through `git cat-file`."""

from __future__ import annotations

import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from app.errors import Invalid
from app.services.importing.git.command import Git
from app.services.importing.interruption import Stopped

WAIT_SECONDS = 60.0
_POLL_SECONDS = 0.2
_BLOB = b"blob"


class _CatFile:
    """A `git cat-file` process that stays open for one object at a time; it restarts when it has died."""

    def __init__(self, git: Git, option: str) -> None:
        self._git = git
        self._option = option
        self._process: subprocess.Popen[bytes] | None = None

    def header(self, blob: str) -> list[bytes]:
        """Return the words of the first line that git prints for an object; empty where git died."""
        process = self._opened()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(f"{blob}\n".encode())
            process.stdin.flush()
            self._wait(process.stdout)
            line = process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line.endswith(b"\n"):
            self.close()
        return line.split()

    def content(self, size: int) -> bytes:
        """Return the content that follows a header."""
        assert self._process is not None
        assert self._process.stdout is not None
        content = self._process.stdout.read(size + 1)[:size]
        if len(content) < size:
            self.close()
        return content

    def close(self) -> None:
        """End the git that is open, if one is."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(BrokenPipeError):
                process.communicate()

    def _opened(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = self._git.open("-c", "core.bigFileThreshold=16m", "cat-file", self._option)
        return self._process

    def _wait(self, answers: IO[bytes]) -> None:
        until = time.monotonic() + WAIT_SECONDS
        while not select.select([answers], [], [], _POLL_SECONDS)[0]:
            if self._git.is_stopped():
                self.close()
                raise Stopped
            if time.monotonic() > until:
                self.close()
                raise Invalid(f"git did not respond for {WAIT_SECONDS:.0f} s")


class Blobs:
    """Reads file contents by their object ids; asks for each size first, because a content may be huge."""

    def __init__(self, git: Git) -> None:
        self._sizes = _CatFile(git, "--batch-check")
        self._contents = _CatFile(git, "--batch")

    def size(self, blob: str) -> int | None:
        """Return the size of a content in bytes; None when the object is missing or is no file content."""
        header = self._sizes.header(blob)
        return int(header[2]) if len(header) == 3 and header[1] == _BLOB else None

    def read(self, blob: str, most: int) -> bytes:
        """Return a content of at most `most` bytes.

        Raises Invalid for a larger one, and for one that is missing.
        """
        size = self.size(blob)
        if size is not None and size > most:
            raise Invalid(f"it is larger than {most} bytes; split it")
        header = [] if size is None else self._contents.header(blob)
        content = self._contents.content(int(header[2])) if len(header) == 3 else None
        if content is None or len(content) != size:
            raise Invalid(
                f"its content {blob} is missing in the repository, and Trigraph fetches nothing;"
                " fetch the whole repository"
            )
        return content

    def close(self) -> None:
        """End the open git processes."""
        self._sizes.close()
        self._contents.close()


@contextmanager
def open_blobs(git: Git) -> Iterator[Blobs]:
    """Yield a reader of contents."""
    blobs = Blobs(git)
    try:
        yield blobs
    finally:
        blobs.close()
