"""The end of an import that somebody asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from app.services.document_reader import Interrupted

IsStopped: TypeAlias = Callable[[], bool]
"""Returns whether somebody asked for an end; whatever may take long looks at it between its steps."""

Stopped: TypeAlias = Interrupted
"""Raised when somebody asked for an end while there was still something to look at."""


def never() -> bool:
    """Return that nobody asks for an end."""
    return False
