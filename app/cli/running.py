"""How a command does its work and how it fails: one red line that says what to do, and an exit status."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn, TypeVar

import typer
from pydantic import ValidationError

from app.cli.escaping import one_line
from app.cli.printing import error_console
from app.cli.screen import styled
from app.cli.settings_told import wrong_value
from app.errors import Invalid, TrigraphError
from app.settings import Settings, read_settings

FAILED = 1
MISUSED = 2
INTERRUPTED = 130

Answer = TypeVar("Answer")


def finish(
    work: Coroutine[Any, Any, Answer], loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None
) -> Answer:
    """Do the work and answer its result; an expected failure ends the command with its message.

    An interrupt or a request to terminate lets the work end in order: it stops the servers it started.
    """
    try:
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            return runner.run(_terminable(work))
    except TrigraphError as error:
        fail(error)
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(INTERRUPTED) from None


async def _terminable(work: Coroutine[Any, Any, Answer]) -> Answer:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work


def fail(error: TrigraphError) -> NoReturn:
    """End the command with the message of an error; what was asked wrongly exits as misuse."""
    complain_of(error)
    raise typer.Exit(MISUSED if isinstance(error, Invalid) else FAILED)


def complain_of(error: TrigraphError) -> None:
    """Write the message of an error to the error output, in red."""
    _write_red(error.message if error.has_lines else one_line(error.message))


def complain(message: str) -> None:
    """Write a red line to the error output."""
    _write_red(one_line(message))


def _write_red(text: str) -> None:
    error_console().print(styled(text, "red"), soft_wrap=True)


def settings() -> Settings:
    """Read the settings, or end the command with the name of the variable that is wrong."""
    try:
        return read_settings()
    except ValidationError as error:
        for problem in error.errors():
            complain(wrong_value(problem))
        raise typer.Exit(MISUSED) from None
