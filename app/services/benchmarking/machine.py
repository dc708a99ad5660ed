"""What a measurement ran on."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path


def describe_machine() -> dict[str, object]:
    """Answer what its figures depend on; what the system does not tell is null."""
    return {
        "cores": os.cpu_count(),
        "processor": _told(Path("/proc/cpuinfo"), "model name") or platform.processor() or None,
        "memory_gib": _memory(),
        "load": round(os.getloadavg()[0], 2),
        "platform": platform.platform(),
        "python": platform.python_version(),
    }


def _memory() -> float | None:
    with suppress(OSError, ValueError):
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    return None


def _told(path: Path, name: str) -> str | None:
    with suppress(OSError):
        for line in path.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    return None
