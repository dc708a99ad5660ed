"""What an import meets: documents that can be read, refusals of what cannot, and what is left alone."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from app.domain.artifact import Document
from app.errors import TrigraphError
from app.services.importing.interruption import Stopped

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
    """Yield items one after the other, each read in a thread of its own, up to the last or to a stop."""
    with suppress(Stopped):
        while (item := await asyncio.to_thread(next, items, None)) is not None:
            yield item


def shown(name: str) -> str:
    """Return a file's name as text that can be printed and stored, whatever bytes it is made of."""
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


_PREFIX = re.compile(r"(?:[^/]*/)*(?P<prefix>[A-Z]{2,16})[-_ ]?[0-9]")


def prefixes_among(names: Iterable[str]) -> frozenset[str]:
    """Return the prefixes in capitals that names such as RFC-12 or x/RFC-12 begin with."""
    matches = (_PREFIX.match(name) for name in names)
    return frozenset(match["prefix"] for match in matches if match is not None)


MAX_LISTED = 10_000
"""So many refusals of an import are listed; the others are counted."""

MAX_IN_A_ROW = 1_000
"""After so many rows that are none, one after the other, the rest of a file is not read."""

Something = TypeVar("Something")


def until_hopeless(source: str, items: Iterator[Something | Refusal]) -> Iterator[Something | Refusal]:
    """Yield what a file's rows are, and one refusal more where nothing else comes for too long."""
    in_a_row = 0
    for item in items:
        yield item
        in_a_row = in_a_row + 1 if isinstance(item, Refusal) else 0
        if in_a_row == MAX_IN_A_ROW:
            reason = (
                f"{MAX_IN_A_ROW} rows in a row are refused; the rest of the file is not read: mend it first"
            )
            yield Refusal(source, reason)
            return


class RefusedRows:
    """The refusals of files that tell of documents: the first ones, and how many more there are."""

    def __init__(self) -> None:
        self._listed: list[Refusal] = []
        self._beyond = 0

    def add(self, refusal: Refusal) -> None:
        """List a refusal, or count it."""
        if len(self._listed) < MAX_LISTED:
            self._listed.append(refusal)
        else:
            self._beyond += 1

    def all(self) -> list[Refusal]:
        """Return the refusals, the last one telling of those that are not listed."""
        more = [Refusal("rows", f"{self._beyond} more rows are refused")] if self._beyond else []
        return [*self._listed, *more]
