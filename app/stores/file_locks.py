"""Locks on files, which the system takes back however their holder ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def opened(path: Path) -> int:
    """Open a lock file, made when new; a home of another user offers its own for reading only."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o644))
    return os.open(path, os.O_RDONLY)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a file's lock alone, waiting for it as long as it takes."""
    lock = opened(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def shared(path: Path) -> int:
    """Hold a file's lock together with others and return its descriptor; closing it lets go."""
    lock = opened(path)
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


def taken_alone(path: Path) -> int | None:
    """Take a file's lock alone and answer its descriptor, or None when anybody holds it."""
    lock = opened(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    except BaseException:
        os.close(lock)
        raise
    return lock


def is_held_alone(path: Path) -> bool:
    """Return whether anybody holds a file's lock alone; those who ask do not mistake each other for one."""
    lock = opened(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(lock)
