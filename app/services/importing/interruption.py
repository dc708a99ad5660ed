"""Interrupting an import: who asks for an end, and reading texts in another process that it ends too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar

from app.services.document_reader import DocumentReader, Stopped, document_reader

__all__ = ["IsStopped", "Stopped", "never", "read_in_process", "read_in_turns"]

Params = ParamSpec("Params")
Item = TypeVar("Item")
Result = TypeVar("Result")

MIN_SHARED = 64
"""Starting another process takes as long as reading so many texts."""

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
    reader = _OF_THREAD.get() or document_reader()
    return reader.wait(len(text), is_stopped, function, text, *arguments, **named)


_OF_THREAD: ContextVar[DocumentReader | None] = ContextVar("reader", default=None)
"""The reader of a thread that does not share the one of the program."""


def read_in_turns(items: Sequence[Item], read: Callable[[Item], Result]) -> list[Result]:
    """Return what `read` returns for each item, in order; if there are many, two processes share them.

    `read` calls `read_in_process`, in two threads at the same time. Raises what it raises.
    """
    if len(items) < MIN_SHARED:
        return [read(item) for item in items]
    other = DocumentReader()

    def read_half(start: int) -> list[Result]:
        _OF_THREAD.set(other if start else None)
        return [read(item) for item in items[start::2]]

    try:
        with ThreadPoolExecutor(2) as pool:
            halves = list(pool.map(read_half, (0, 1)))
    finally:
        other.close()
    return [halves[place % 2][place // 2] for place in range(len(items))]
