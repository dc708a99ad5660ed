"""How much one document may cost to read."""

from __future__ import annotations

MAX_READING_SECONDS = 20
"""Seconds of processor time, so that a busy machine refuses nothing that an idle one reads."""

MAX_WAITING_SECONDS = 120
"""Seconds by the clock; a process that is stopped or starved uses no processor time."""

MAX_MEMORY_BYTES = 2 * 1024**3
"""Address space of a process that reads, its program included."""

MAX_SMALL_CHARACTERS = 32_768
"""Texts up to this length have a process of their own, so that they never wait behind a long one."""

MAX_QUEUED = 64
"""Texts that may wait for one process."""
