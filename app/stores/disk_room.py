"""Whether the disk under the embedded database has room."""

from __future__ import annotations

import shutil
from pathlib import Path

# PostgreSQL stops altogether when it cannot make the next file of its log, which has 16 MiB.
MIN_FREE_BYTES = 16 * 2**20


def lack_of_room(folder: Path) -> str | None:
    """Return in words that the disk of a folder is full; None when it has room, or nobody can tell."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return None
    if free >= MIN_FREE_BYTES:
        return None
    return (
        f"the disk of {folder} is full: {free / 2**20:.1f} MiB are left, and the database needs"
        f" {MIN_FREE_BYTES // 2**20} MiB to go on; free some space"
    )
