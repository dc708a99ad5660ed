"""`trigraph reembed`."""
from __future__ import annotations


def reembed() -> None:
    """Look."""
