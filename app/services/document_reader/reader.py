"""The document reader: one process for short texts and one for long ones."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from functools import cache
from typing import ParamSpec, TypeVar, cast

from app.services.document_reader.limits import MAX_SMALL_CHARACTERS
from app.services.document_reader.process import Call, Lane

Params = ParamSpec("Params")
Result = TypeVar("Result")


class DocumentReader:
    """Makes calls in processes that end when reading takes too much time or memory.

    Functions, which must be importable, their arguments and their results travel as pickles. The processes
    start with the first call and serve later calls too.
    """

    def __init__(self) -> None:
        self._short = Lane()
        self._long = Lane()

    async def run(
        self, size: int, function: Callable[Params, Result], *arguments: Params.args, **named: Params.kwargs
    ) -> Result:
        """Return what a function returns for a text of `size` characters.

        A cancelled caller ends the call. Raises what the function raises, Invalid on `body` when it takes
        too much time or memory, and Unavailable when too many texts are queued.
        """
        return cast(Result, await self._lane(size).run(Call(function, arguments, named)))

    def wait(
        self,
        size: int,
        is_stopped: Callable[[], bool],
        function: Callable[Params, Result],
        *arguments: Params.args,
        **named: Params.kwargs,
    ) -> Result:
        """Return what `run` returns, in a thread that may block.

        Raises what `run` raises, and Stopped soon after `is_stopped` says so.
        """
        return cast(Result, self._lane(size).wait(Call(function, arguments, named), is_stopped))

    @property
    def processes(self) -> tuple[int, ...]:
        """The numbers of the processes that run."""
        return tuple(lane.process for lane in (self._short, self._long) if lane.process is not None)

    def close(self) -> None:
        """End the processes and their calls; a later call starts them again."""
        self._short.close()
        self._long.close()

    def _lane(self, size: int) -> Lane:
        return self._short if size <= MAX_SMALL_CHARACTERS else self._long


@cache
def document_reader() -> DocumentReader:
    """Return the shared reader of this process; it closes when the process exits."""
    reader = DocumentReader()
    atexit.register(reader.close)
    return reader
