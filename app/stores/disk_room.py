"""Whether the disk under the embedded database has room."""

from __future__ import annotations

import shutil
from pathlib import Path

# PostgreSQL stops altogether when it cannot make the next file of its log, which has 16 MiB.
MIN_FREE_BYTES = 16 * 2**20


def lack_of_room(folder: Path) -> str | None:
    """Return a message if the disk of a folder is full; None if it has room or its state is unknown."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return None
    if free >= MIN_FREE_BYTES:
        return None
    return (
        f"the disk of {folder} is full: {free / 2**20:.1f} MiB are free, and the database"
        f" needs {MIN_FREE_BYTES // 2**20} MiB; free some space"
    )
