"""Run the work of a command; turn errors and wrong settings into red lines and an exit status."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

from app.cli.escaping import one_line
from app.cli.layout import print_text
from app.cli.output import error_console
from app.domain.temporal import written_moment
from app.errors import Invalid, TrigraphError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from app.settings import Settings

_PROBLEMS = {
    "int_parsing": "{value!r} is not a whole number",
    "float_parsing": "{value!r} is not a number",
    "greater_than_equal": "{value} is too small; the minimum is {ge}",
    "greater_than": "{value} is too small; it must be more than {gt}",
    "less_than_equal": "{value} is too large; the maximum is {le}",
    "literal_error": "{value!r} is not one of {expected}",
    "string_too_short": "it is blank; unset the variable instead",
    "value_error": "{error}",
    "string_too_long": "it is too long; the maximum is {max_length} characters",
}


def setting_error(problem: ErrorDetails) -> str:
    """Return a line that names the variable of a wrong setting and says what is wrong."""
    from app.settings import ENV_PREFIX

    name = "_".join(str(part) for part in problem["loc"]).upper()
    template = _PROBLEMS.get(problem["type"], problem["msg"])
    return f"{ENV_PREFIX}{name}: {template.format(value=problem['input'], **problem.get('ctx', {}))}"


FAILED = 1
MISUSED = 2
INTERRUPTED = 130

T = TypeVar("T")


def run_async(
    work: Coroutine[Any, Any, T], loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None
) -> T:
    """Run the work and return its result; an expected error ends the command with its message.

    An interrupt or SIGTERM cancels the work, which then stops the servers it started.
    """
    try:
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            return runner.run(_cancel_on_sigterm(work))
    except TrigraphError as error:
        fail(error)
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(INTERRUPTED) from None


async def _cancel_on_sigterm(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work


def fail(error: TrigraphError) -> NoReturn:
    """End the command with the message of an error; Invalid has the exit status of misuse."""
    print_failure(error)
    raise typer.Exit(MISUSED if isinstance(error, Invalid) else FAILED)


def print_failure(error: TrigraphError) -> None:
    """Print the message of an error in red on the error output."""
    _write_red(error.message if error.has_lines else one_line(error.message))


def print_error(message: str) -> None:
    """Print one red line on the error output."""
    _write_red(one_line(message))


def _write_red(text: str) -> None:
    screen = error_console()
    for line in text.split("\n"):
        print_text(screen, line, "red", hang=4)


def settings() -> Settings:
    """Return the settings; end the command with a line for each wrong variable."""
    from pydantic import ValidationError

    from app.settings import read_settings

    try:
        return read_settings()
    except ValidationError as error:
        for problem in error.errors():
            print_error(setting_error(problem))
        raise typer.Exit(MISUSED) from None


ShowIds = Annotated[bool, typer.Option("--ids", help="Show ids too.")]

MOMENT_HELP = (
    "A moment has an offset, as in 2026-06-01T09:00:00Z. A plain date is the start of that day in UTC."
)


def parse_moment(text: str) -> datetime:
    """Return a text as a moment in UTC; raises BadParameter for any other text."""
    try:
        moment = written_moment(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a moment; write it like 2026-06-01 or 2026-06-01T09:00:00Z"
        ) from None
    if moment.tzinfo is not None:
        return moment
    raise typer.BadParameter(f"{text!r} has no offset from UTC; write {text}Z for UTC")
