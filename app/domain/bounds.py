"""Length limits of names and other short texts, and excerpts of texts for messages."""

from __future__ import annotations

from app.domain.text import beginning
from app.errors import Invalid

MAX_NAME = 256
"""Characters of a name that a caller sends: of a project, a type, a property or an event, or a key."""

MAX_TYPE_NAME = 64
"""Characters of the name of a type that is stored; a longer one is read to say so."""

MAX_IDENTIFIER = 256
MAX_TITLE = 1_024
MAX_SOURCE = 4_096
MAX_COMMIT = 256
MAX_DESCRIPTION = 4_096

MIN_SURFACE_FORM = 2
MAX_SURFACE_FORM = 512
"""Characters of an alias that is stored."""

MAX_FORM = 1_024
"""Characters of what a caller calls a thing: no title is longer."""

MAX_EXCERPT = 60
MAX_EXCERPTS = 5


def require_length(field: str, text: str, most: int) -> None:
    """Raise Invalid, naming the field but not the text, for a text that is too long."""
    if len(text) > most:
        raise Invalid(f"{field} has {len(text)} characters; at most {most} are allowed", field=field)


def excerpt(text: str) -> str:
    """Return the first 60 characters of a text, unprintable ones escaped, and `…` for the rest."""
    start = beginning(text, MAX_EXCERPT)
    shown = "".join(character if character.isprintable() else _escape(character) for character in start)
    return shown if len(start) == len(text) else f"{shown}…"


def excerpts(texts: list[str]) -> str:
    """Return the excerpts of the first five texts, separated by commas, and how many more there are."""
    shown = ", ".join(map(excerpt, texts[:MAX_EXCERPTS]))
    more = len(texts) - MAX_EXCERPTS
    return f"{shown} and {more} more" if more > 0 else shown


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()
