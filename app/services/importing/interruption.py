"""The texts of an import, read in another process by the threads that meet them."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar

from app.services.document_reader import Interrupted, document_reader

Asked = ParamSpec("Asked")
Result = TypeVar("Result")

IS_STOPPED: ContextVar[Callable[[], bool]] = ContextVar("is_stopped", default=lambda: False)
"""Whether somebody asked the import to end, in whose context this is; its threads have a copy."""


def read_aside(
    function: Callable[Concatenate[str, Asked], Result],
    text: str,
    *arguments: Asked.args,
    **named: Asked.kwargs,
) -> Result:
    """Return what a function returns for a text, read in another process; blocks.

    Raises what it raises, Invalid when reading takes too much time or memory, and Stopped soon after
    somebody asks the import to end.
    """
    return document_reader().wait(len(text), IS_STOPPED.get(), function, text, *arguments, **named)


IsStopped: TypeAlias = Callable[[], bool]
"""Returns whether somebody asked for an end; whatever may take long looks at it between its steps."""

Stopped: TypeAlias = Interrupted
"""Raised when somebody asked for an end while there was still something to look at."""


def never() -> bool:
    """Return that nobody asks for an end."""
    return False
