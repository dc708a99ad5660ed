"""The log of a process: a record is a line, whatever it quotes, and a trace is plainly not one."""

from __future__ import annotations

import logging
from copy import copy, deepcopy
from typing import TYPE_CHECKING, Any

from uvicorn.config import LOGGING_CONFIG
from uvicorn.logging import AccessFormatter, DefaultFormatter

from app.cli.escaping import escaped, one_line

if TYPE_CHECKING:
    from types import TracebackType

    from app.settings import Settings

    ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

_BESIDE = "  | "  # no record begins so


class OneLine(logging.Formatter):
    """Writes each record on one line, escaped, and the lines of a trace beside a bar."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """Return the line of a record."""
        safe = copy(record)
        safe.message = one_line(record.message)
        if isinstance(record.args, tuple):
            safe.args = tuple(one_line(each) if isinstance(each, str) else each for each in record.args)
        return super().formatMessage(safe)

    def formatException(self, ei: ExceptionInfo) -> str:  # noqa: N802
        """Return the lines of a trace."""
        return _beside(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        """Return the lines of where a record was made."""
        return _beside(super().formatStack(stack_info))


def write_log(settings: Settings) -> None:
    """Let this process write its log to the error output, as the settings say."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneLine("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=settings.log_level, handlers=[handler])


def _beside(lines: str) -> str:
    return "\n".join(_BESIDE + line for line in escaped(lines).split("\n"))


class ServerFormatter(OneLine, DefaultFormatter):
    """Writes what the server tells of itself."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """Return the line of a record; its second text, which is for terminals alone, is left out."""
        vars(record).pop("color_message", None)
        return super().formatMessage(record)


class RequestFormatter(OneLine, AccessFormatter):
    """Writes the requests that the server answers."""


def server_log() -> dict[str, Any]:
    """Return how the server's log is set up: as it does by itself, but for how records are written.

    The streams are those beneath the guards, for the colours are the server's own.
    """
    config = deepcopy(LOGGING_CONFIG)
    config["formatters"]["default"]["()"] = ServerFormatter
    config["formatters"]["access"]["()"] = RequestFormatter
    config["handlers"]["default"]["stream"] = "ext://sys.__stderr__"
    config["handlers"]["access"]["stream"] = "ext://sys.__stdout__"
    return config
