"""Interrupting an import: who asks for an end, and reading texts in another process that it ends too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar

from app.services.document_reader import Stopped, document_reader

__all__ = ["IsStopped", "Stopped", "never", "read_in_process"]

Params = ParamSpec("Params")
Result = TypeVar("Result")

IsStopped: TypeAlias = Callable[[], bool]
"""Returns whether somebody asked for an end; long work calls it between its steps."""


def never() -> bool:
    """Return False: nobody asks for an end."""
    return False


def read_in_process(
    is_stopped: IsStopped,
    function: Callable[Concatenate[str, Params], Result],
    text: str,
    *arguments: Params.args,
    **named: Params.kwargs,
) -> Result:
    """Call a function with a text in another process and return its result; blocks.

    Raises what the function raises, Invalid when reading takes too much time or memory, and Stopped soon
    after `is_stopped` says so.
    """
    return document_reader().wait(len(text), is_stopped, function, text, *arguments, **named)
