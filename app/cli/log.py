"""Logging: formatters that write each record on one escaped line, and the setup that uses them."""

from __future__ import annotations

import logging
from copy import copy
from typing import TYPE_CHECKING

from app.cli.escaping import escape, one_line

if TYPE_CHECKING:
    from types import TracebackType

    from app.settings import Settings

    ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

_BAR = "  | "  # no record begins with it


class OneLineFormatter(logging.Formatter):
    """Writes each record on one escaped line, and each line of a traceback behind a bar."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """Return a record as one escaped line."""
        safe = copy(record)
        safe.message = one_line(record.message)
        if isinstance(record.args, tuple):
            safe.args = tuple(one_line(each) if isinstance(each, str) else each for each in record.args)
        return super().formatMessage(safe)

    def formatException(self, ei: ExceptionInfo) -> str:  # noqa: N802
        """Return the lines of a traceback, each behind a bar."""
        return _with_bar(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        """Return the lines of a stack, each behind a bar."""
        return _with_bar(super().formatStack(stack_info))


def configure_logging(settings: Settings) -> None:
    """Log to the error output at the level of the settings."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneLineFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=settings.log_level, handlers=[handler])


def _with_bar(lines: str) -> str:
    return "\n".join(_BAR + line for line in escape(lines).split("\n"))
