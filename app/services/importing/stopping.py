"""The end of an import that somebody asked for."""

from __future__ import annotations


class Stopped(Exception):
    """Somebody asked for an end while there was still something to look at."""
