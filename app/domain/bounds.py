"""Length limits for a caller's texts, and excerpts of texts for messages."""

from __future__ import annotations

from app.domain.text import beginning
from app.errors import Invalid

MAX_NAME = 256
"""Characters of the key of a project, the name of a type or of a property, an event, a commit, a key."""

MAX_FORM = 1_024
"""Characters of what a thing may be called: no title is longer."""

MAX_EXCERPT = 60
MAX_LISTED = 5


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
    shown = ", ".join(map(excerpt, texts[:MAX_LISTED]))
    more = len(texts) - MAX_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()
