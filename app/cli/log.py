"""The log of a process: a record is a line, whatever it quotes, and a trace is plainly not one."""

from __future__ import annotations

import logging
from copy import copy
from typing import TYPE_CHECKING

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
