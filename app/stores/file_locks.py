"""File locks, which the operating system releases however their holder ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def open_lock_file(path: Path) -> int:
    """Open a lock file, created if missing; another user's lock file is opened for reading only."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o644))
    return os.open(path, os.O_RDONLY)


@contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Hold a file's exclusive lock for the block; wait for it as long as it takes."""
    lock = open_lock_file(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def share_lock(path: Path) -> int:
    """Take a file's shared lock and return its descriptor; closing the descriptor releases the lock."""
    lock = open_lock_file(path)
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


def try_lock(path: Path) -> int | None:
    """Take a file's exclusive lock and return its descriptor, or None if anybody holds a lock on it."""
    lock = open_lock_file(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    except BaseException:
        os.close(lock)
        raise
    return lock


def is_locked(path: Path) -> bool:
    """Return whether a process holds a file's exclusive lock; concurrent callers do not affect each other."""
    lock = open_lock_file(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(lock)
