"""Settings that cannot be meant, in words: a value that is wrong, and a variable that is no setting."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.settings import Settings

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

PREFIX = "TRIGRAPH_"

_PROBLEMS = {
    "int_parsing": "{value!r} is no whole number",
    "float_parsing": "{value!r} is no number",
    "greater_than_equal": "{value} is too small; the least is {ge}",
    "greater_than": "{value} is too small; it must be more than {gt}",
    "less_than_equal": "{value} is too large; the most is {le}",
    "literal_error": "{value!r} is none of {expected}",
    "string_too_short": "it is blank; leave it unset instead",
    "value_error": "{error}",
    "string_too_long": "it is too long; the most is {max_length} characters",
}


def wrong_value(problem: ErrorDetails) -> str:
    """Answer the variable that a problem is about, and what is wrong with its value."""
    name = "_".join(str(part) for part in problem["loc"]).upper()
    told = _PROBLEMS.get(problem["type"], problem["msg"])
    return f"{PREFIX}{name}: {told.format(value=problem['input'], **problem.get('ctx', {}))}"


def unknown_variables(names: Iterable[str]) -> list[str]:
    """Answer a line for each variable that is named like a setting and is none."""
    settings = {f"{PREFIX}{name}".upper() for name in Settings.model_fields}
    unknown = sorted({name for name in names if name.upper().startswith(PREFIX)} - settings)
    return [_unknown(name, settings) for name in unknown if name.upper() not in settings]


def _unknown(name: str, settings: set[str]) -> str:
    near = difflib.get_close_matches(name.upper(), sorted(settings), n=1, cutoff=0.8)
    hint = f"; is {near[0]} meant?" if near else f"; there are {', '.join(sorted(settings))}"
    return f"{name} is no setting and changes nothing{hint}"
