"""Cleaning text: characters that no store or encoder accepts are replaced here, once."""

from __future__ import annotations

import re
import unicodedata
from math import isfinite

from app.domain.text import UNKEEPABLE
from app.errors import Invalid

MAX_DEPTH = 100
"""The maximum nesting depth of a header value."""

INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
"""Characters that show nothing and part no words."""

_INTEGER_LIMIT = 2**63


def clean_text(text: str) -> str:
    """Return the text without leading byte order marks, with \\n line ends and no NUL or lone surrogate.

    U+FFFD replaces each of those. All else stays as it is: a body is quoted verbatim later.
    """
    unmarked = text.lstrip("\ufeff")
    one_line_end = unmarked.replace("\r\n", "\n").replace("\r", "\n")
    return UNKEEPABLE.sub("\ufffd", one_line_end)


def clean_path(path: str) -> str:
    """Return the path of a file as text, its accents composed: file systems spell them in two ways."""
    return unicodedata.normalize("NFC", clean_text(path))


def clean_value(value: object, depth: int = 0) -> object:
    """Return a value of lists, objects and scalars with every text in it cleaned, names too.

    Raises Invalid when it is nested too deeply, or holds a number that no store keeps.
    """
    if depth > MAX_DEPTH:
        raise Invalid(f"a value is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [clean_value(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {clean_text(str(name)): clean_value(item, depth + 1) for name, item in value.items()}
    if isinstance(value, int) and not -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
        raise Invalid("a number needs more than 64 bits; write it as a string")
    if isinstance(value, float) and not isfinite(value):
        raise Invalid("a number must be finite; write it as a string")
    return value


def texts_of(value: object) -> list[str]:
    """Return every non-blank text inside a value: an item each of a list, the keys of a mapping."""
    if value is None:
        return []
    if isinstance(value, str):
        return [stripped] if (stripped := value.strip()) else []
    if isinstance(value, dict):
        return [text for key in value for text in texts_of(key)]
    if isinstance(value, list):
        return [text for item in value for text in texts_of(item)]
    return [str(value)]


def text_of(value: object, name: str, warnings: list[str]) -> str | None:
    """Return a value as one line of text, or None when it is empty; warn when it was no plain text."""
    if value is not None and not isinstance(value, str):
        warnings.append(f"the field {name} is not plain text; its parts were joined")
    return " ".join(", ".join(texts_of(value)).split()) or None
