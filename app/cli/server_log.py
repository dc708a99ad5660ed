"""The log of the web server, in its own form and colours, with records that are lines."""

from __future__ import annotations

import logging
from copy import deepcopy
from typing import Any

from uvicorn.config import LOGGING_CONFIG
from uvicorn.logging import AccessFormatter, DefaultFormatter

from app.cli.log import OneLine


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

    The streams are those beneath the guards of `app.cli.guarding`, for the colours are the server's own.
    """
    config = deepcopy(LOGGING_CONFIG)
    config["formatters"]["default"]["()"] = ServerFormatter
    config["formatters"]["access"]["()"] = RequestFormatter
    config["handlers"]["default"]["stream"] = "ext://sys.__stderr__"
    config["handlers"]["access"]["stream"] = "ext://sys.__stdout__"
    return config
