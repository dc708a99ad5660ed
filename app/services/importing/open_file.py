"""Opening regular files safely, even when another process replaces one in the meantime."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import IO

from app.errors import Invalid

A_LINK = "it is a symbolic link, and symbolic links are not followed"
NO_FILE = "it is not a regular file"

_REASONS = {
    errno.ELOOP: A_LINK,
    errno.ENXIO: NO_FILE,
    errno.ENOTDIR: "a folder above it became a link or a file while it was read",
}
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Not blocking, for a pipe without a writer would hold the import for ever.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def open_file(path: Path, root: Path | None = None) -> IO[bytes]:
    """Open a regular file; never follow a link, and never block on a pipe or a device.

    Below a `root` that is a folder above it, no folder on the way may be a link either. Raises Invalid with
    the reason.
    """
    try:
        descriptor = os.open(path, _FILE) if root in (None, path) else _open_below(path, root)
    except OSError as error:
        raise Invalid(_REASONS.get(error.errno or 0, f"it cannot be read: {error.strerror}")) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Invalid(NO_FILE)
    return os.fdopen(descriptor, "rb")


def _open_below(path: Path, root: Path) -> int:
    folder = os.open(root, _FOLDER)
    try:
        *folders, name = path.relative_to(root).parts
        for part in folders:
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)


def read_bytes(path: Path, most: int, root: Path | None = None) -> bytes:
    """Return the bytes of a regular file, at most one more than `most`; raises Invalid as `open_file`."""
    with open_file(path, root) as file:
        try:
            return file.read(most + 1)
        except OSError as error:
            raise Invalid(f"it cannot be read: {error.strerror}") from error
