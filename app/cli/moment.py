"""Moments as people write them on a command line."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import typer

HELP = "A moment with an offset, as in 2026-06-01T09:00:00Z; a plain date is the start of that day in UTC."

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def read_moment(text: str) -> datetime:
    """Answer the moment that a text names; raises BadParameter when it names none."""
    spelled = f"{text}T00:00:00Z" if _DATE.fullmatch(text) else text
    try:
        moment = datetime.fromisoformat(spelled)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise typer.BadParameter(f"{text!r} is no moment; write it like 2026-06-01T09:00:00Z") from None
    raise typer.BadParameter(f"{text!r} names no instant without an offset; write {text}Z for UTC")
