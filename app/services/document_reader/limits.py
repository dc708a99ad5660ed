"""Limits on the time, memory and queue of reading one document."""

from __future__ import annotations

MAX_READING_SECONDS = 20
"""Seconds of processor time, so that a busy machine refuses nothing that an idle one reads."""

MAX_WAITING_SECONDS = 120
"""Seconds by the clock; a process that is stopped or starved uses no processor time."""

MAX_MEMORY_BYTES = 2 * 1024**3
"""Address space of a reader process, its program included."""

MAX_SMALL_CHARACTERS = 32_768
"""Texts up to this length have their own process, so that they never wait behind a long text."""

MAX_QUEUED = 64
"""The maximum number of texts queued for one process."""
