"""Header values of any shape, brought to the shape that is asked for."""

from __future__ import annotations


def texts_of(value: object) -> list[str]:
    """Answer every non-blank text inside a value: an item each of a list, the keys of a mapping."""
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
    """Answer one line of text for a value, or None when it is empty; say so when it was no plain text."""
    if value is not None and not isinstance(value, str):
        warnings.append(f"the field {name} is not plain text; its parts were joined")
    return " ".join(", ".join(texts_of(value)).split()) or None
