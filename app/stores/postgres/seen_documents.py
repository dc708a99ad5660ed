"""Which documents of a scope its moment sees, and which of them are wanted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import numpy as np
from numpy.typing import NDArray

from app.stores.postgres.packed import Numbers, microseconds, unpacked, whole_numbers
from app.stores.postgres.scope import Scope
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)

_EVER = b"\x80" + bytes(7)
"""The earliest moment, for documents of which none is too late."""


@dataclass(frozen=True, slots=True)
class SeenDocuments:
    """How many documents a moment sees, how many terms they have, and which it does not see.

    Of the documents up to the number `last` it sees all but `unseen`; later ones came after this was read.
    `wanted` are those of the scope's types and domains; None means all of them.
    """

    documents: int
    total_terms: int
    last: int
    unseen: Numbers
    wanted: Numbers | None

    def among(self, artifacts: Numbers) -> NDArray[np.bool_]:
        """Tell of each artifact whether it is seen."""
        seen: NDArray[np.bool_] = np.isin(artifacts, self.unseen, invert=True)
        seen &= artifacts <= self.last
        return seen


@dataclass(frozen=True, slots=True)
class PackedDocuments:
    """The documents of a scope as they are kept, block by block.

    A block without numbers is seen whole, and all of it is wanted.
    """

    scope: Scope
    blocks: Sequence[asyncpg.Record]

    def seen(self) -> SeenDocuments:
        """Look at every document that the moment may not see, or that may not be wanted."""
        scope = self.scope
        whole = [block for block in self.blocks if block["numbers"] is None]
        opened = [block for block in self.blocks if block["numbers"] is not None]
        numbers = _numbers(opened)
        term_counts = unpacked((block["term_counts"] for block in opened), ">u4")
        is_seen = _until(scope.moment.valid, "created_at", opened)
        is_seen &= _until(scope.moment.known, "recorded_at", opened)
        return SeenDocuments(
            documents=sum(block["documents"] for block in whole) + int(np.count_nonzero(is_seen)),
            total_terms=sum(block["total_terms"] for block in whole) + int((term_counts * is_seen).sum()),
            last=max((block["last_number"] for block in self.blocks), default=0),
            unseen=np.compress(~is_seen, numbers),
            wanted=np.compress(_wanted(scope, opened), numbers) if is_narrow(scope) else None,
        )


def is_narrow(scope: Scope) -> bool:
    """Tell whether a scope wants some types or domains only."""
    return scope.types is not None or scope.domains is not None


async def documents_of_projects(connection: asyncpg.Connection, scope: Scope) -> PackedDocuments:
    """Answer what the scope's projects hold."""
    blocks = await connection.fetch(
        SQL["documents_of_projects"],
        scope.tenant,
        list(scope.projects),
        scope.moment.valid,
        scope.moment.known,
        is_narrow(scope),
    )
    return PackedDocuments(scope, blocks)


def _numbers(blocks: Sequence[asyncpg.Record]) -> Numbers:
    lasts = np.array([block["last_number"] for block in blocks], np.int64)
    lower = unpacked((block["numbers"] for block in blocks), ">u4")
    return whole_numbers(lower, np.repeat(lasts, [block["documents"] for block in blocks]))


def _until(moment: datetime, column: str, blocks: Sequence[asyncpg.Record]) -> NDArray[np.bool_]:
    """Tell of each document whether a time of it is no later than a moment."""
    packed = (block[column] or _EVER * block["documents"] for block in blocks)
    told: NDArray[np.bool_] = unpacked(packed, ">i8") <= microseconds(moment)
    return told


def _wanted(scope: Scope, blocks: Sequence[asyncpg.Record]) -> NDArray[np.bool_]:
    wanted = np.ones(sum(block["documents"] for block in blocks), np.bool_)
    if scope.types is not None:
        wanted &= np.isin(unpacked((block["types"] for block in blocks), ">u4"), scope.types)
    if scope.domains is not None:
        wanted &= np.concatenate([_of_domains(scope.domains, block) for block in blocks])
    return wanted


def _of_domains(domains: Collection[str], block: asyncpg.Record) -> NDArray[np.bool_]:
    """Tell of each document of a block whether its domain, a place among the names, is one of these."""
    named = np.array([False, *(name in domains for name in block["domain_names"])])
    told: NDArray[np.bool_] = named[np.frombuffer(block["domains"], np.uint8)]
    return told
