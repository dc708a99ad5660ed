"""`trigraph doctor`."""
from __future__ import annotations


def doctor() -> None:
    """Look."""
