"""Interrupting an import: the stop flag, and reading texts in another process that a stop can end."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar

from app.services.document_reader import Interrupted, document_reader

Params = ParamSpec("Params")
Result = TypeVar("Result")

IS_STOPPED: ContextVar[Callable[[], bool]] = ContextVar("is_stopped", default=lambda: False)
"""Returns whether somebody asked the import of this context to end; its threads have a copy."""


def read_in_process(
    function: Callable[Concatenate[str, Params], Result],
    text: str,
    *arguments: Params.args,
    **named: Params.kwargs,
) -> Result:
    """Call a function with a text in another process and return its result; blocks.

    Raises what the function raises, Invalid when reading takes too much time or memory, and Stopped soon
    after somebody asks the import to end.
    """
    return document_reader().wait(len(text), IS_STOPPED.get(), function, text, *arguments, **named)


IsStopped: TypeAlias = Callable[[], bool]
"""Returns whether somebody asked for an end; long work calls it between its steps."""

Stopped: TypeAlias = Interrupted
"""Raised when somebody asked for an end before everything was read."""


def never() -> bool:
    """Return False: nobody asks for an end."""
    return False
