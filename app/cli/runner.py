"""How a command does its work and how it fails: one red line that says what to do, and an exit status."""

from __future__ import annotations

import asyncio
import difflib
import re
import signal
from collections.abc import Callable, Coroutine, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import typer
from pydantic import ValidationError

from app.cli.escaping import one_line
from app.cli.output import error_console, styled
from app.errors import Invalid, TrigraphError
from app.settings import Settings, read_settings

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
    """Return the variable that a problem is about, and what is wrong with its value."""
    name = "_".join(str(part) for part in problem["loc"]).upper()
    told = _PROBLEMS.get(problem["type"], problem["msg"])
    return f"{PREFIX}{name}: {told.format(value=problem['input'], **problem.get('ctx', {}))}"


def unknown_variables(names: Iterable[str]) -> list[str]:
    """Return a line for each variable that is named like a setting and is none."""
    settings = {f"{PREFIX}{name}".upper() for name in Settings.model_fields}
    unknown = sorted({name for name in names if name.upper().startswith(PREFIX)} - settings)
    return [_unknown(name, settings) for name in unknown if name.upper() not in settings]


def _unknown(name: str, settings: set[str]) -> str:
    near = difflib.get_close_matches(name.upper(), sorted(settings), n=1, cutoff=0.8)
    hint = f"; is {near[0]} meant?" if near else f"; there are {', '.join(sorted(settings))}"
    return f"{name} is no setting and changes nothing{hint}"


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


HELP = "A moment with an offset, as in 2026-06-01T09:00:00Z; a plain date is the start of that day in UTC."

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def read_moment(text: str) -> datetime:
    """Return the moment that a text names; raises BadParameter when it names none."""
    spelled = f"{text}T00:00:00Z" if _DATE.fullmatch(text) else text
    try:
        moment = datetime.fromisoformat(spelled)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise typer.BadParameter(f"{text!r} is no moment; write it like 2026-06-01T09:00:00Z") from None
    raise typer.BadParameter(f"{text!r} names no instant without an offset; write {text}Z for UTC")
