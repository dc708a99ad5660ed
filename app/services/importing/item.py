"""What an import meets: documents that can be read, refusals of what cannot, and what is left alone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from app.domain.artifact import Document
from app.errors import TrigraphError
from app.services.importing.stopping import Stopped

Answer = TypeVar("Answer")

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that was not filed: where it is and why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Readable:
    """A document as one file or row says it, and where that is."""

    source: str
    document: Document


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that an import leaves alone on purpose: where it is and why; nothing failed."""

    source: str
    reason: str


Items: TypeAlias = Iterator[Readable | Refusal]
ItemStream: TypeAlias = AsyncIterator[Readable | Refusal]


async def read_in_threads(items: Items) -> ItemStream:
    """Answer items one after the other, each read in a thread of its own, up to the last or to a stop."""
    with suppress(Stopped):
        while (item := await asyncio.to_thread(next, items, None)) is not None:
            yield item


def shown(name: str) -> str:
    """Answer a file's name as text that can be printed and stored, whatever bytes it is made of."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def refusing(source: str, read: Callable[[], Answer]) -> Answer | Refusal:
    """Read something, or answer why it cannot be; whatever is wrong with it stops nothing else."""
    try:
        return read()
    except Stopped:
        raise
    except TrigraphError as problem:
        return Refusal(source, problem.message)
    except Exception as fault:
        _LOG.exception("%s could not be read", source)
        return Refusal(source, f"it could not be read: {type(fault).__name__}: {fault}")
