"""The items that an import reads: readable documents, refusals and skipped files."""

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

Result = TypeVar("Result")

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An item that was not filed: its place and the reason."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Readable:
    """A document read from one file or row, and its place."""

    source: str
    document: Document


@dataclass(frozen=True, slots=True)
class Skipped:
    """An item that an import leaves alone on purpose: its place and the reason; nothing failed."""

    source: str
    reason: str


Items: TypeAlias = Iterator[Readable | Refusal]
ItemStream: TypeAlias = AsyncIterator[Readable | Refusal]


async def read_in_threads(items: Items) -> ItemStream:
    """Yield items one after the other, each read in a worker thread, until the last one or a stop."""
    with suppress(Stopped):
        while (item := await asyncio.to_thread(next, items, None)) is not None:
            yield item


def printable_name(name: str) -> str:
    """Return a file's name as text that can be printed and stored, whatever bytes it is made of."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def read_or_refuse(source: str, read: Callable[[], Result]) -> Result | Refusal:
    """Return what `read` returns, or a refusal with its error, so that one bad item stops no other."""
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
"""An import lists this many refusals, and counts the others."""

MAX_IN_A_ROW = 1_000
"""After this many refused rows in a row, the rest of a file is not read."""

Row = TypeVar("Row")


def until_too_many_refusals(source: str, items: Iterator[Row | Refusal]) -> Iterator[Row | Refusal]:
    """Yield the rows of a file; end with one more refusal after `MAX_IN_A_ROW` refusals in a row."""
    in_a_row = 0
    for item in items:
        yield item
        in_a_row = in_a_row + 1 if isinstance(item, Refusal) else 0
        if in_a_row == MAX_IN_A_ROW:
            reason = (
                f"{MAX_IN_A_ROW} rows in a row are refused; the rest of the file is not"
                " read: correct it first"
            )
            yield Refusal(source, reason)
            return


class RefusedRows:
    """The refused rows of state and revision files: the first ones, and the number of the others."""

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
        """Return the listed refusals, and one more that counts the others."""
        more = [Refusal("rows", f"{self._beyond} more rows are refused")] if self._beyond else []
        return [*self._listed, *more]
