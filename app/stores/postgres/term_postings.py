"""The postings of a question's terms, read in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import asyncpg
import numpy as np
from numpy.typing import NDArray

from app.stores.postgres.packed import Numbers, whole_numbers
from app.stores.postgres.scope import Scope
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)

_BYTES_PER_POSTING = 12


@dataclass(frozen=True, slots=True)
class Postings:
    """Postings side by side: the number of each one's term, whose it is, how often, and in how many terms."""

    terms: NDArray[np.intp]
    artifacts: Numbers
    frequencies: NDArray[np.uint32]
    term_counts: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class PackedPostings:
    """The postings of some terms as they are kept, and how much their projects hold altogether.

    `sees_everything` tells that the scope's moment sees all of it.
    """

    documents: int
    total_terms: int
    sees_everything: bool
    blocks: Sequence[asyncpg.Record]

    def __len__(self) -> int:
        return sum(len(block["packed"]) for block in self.blocks) // _BYTES_PER_POSTING

    def unpacked(self) -> Postings:
        """Answer the postings, their terms numbered from 0."""
        places: dict[str, int] = {}
        terms = [places.setdefault(block["term"], len(places)) for block in self.blocks]
        sizes = [len(block["packed"]) // _BYTES_PER_POSTING for block in self.blocks]
        lasts = np.array([block["last_number"] for block in self.blocks], np.int64)
        packed = np.frombuffer(b"".join(block["packed"] for block in self.blocks), ">u4").reshape(-1, 3)
        lower, frequencies, term_counts = packed.T.astype(np.uint32)
        return Postings(
            np.repeat(np.array(terms, np.intp), sizes),
            whole_numbers(lower, np.repeat(lasts, sizes)),
            frequencies,
            term_counts,
        )


async def postings_of_terms(
    connection: asyncpg.Connection, scope: Scope, terms: Sequence[str]
) -> PackedPostings:
    """Answer every posting of these terms in the scope's projects, whatever its moment sees of them."""
    everything, *blocks = await connection.fetch(
        SQL["postings_of_terms"],
        scope.tenant,
        list(scope.projects),
        list(terms),
        scope.moment.valid,
        scope.moment.known,
    )
    return PackedPostings(
        everything["documents"], everything["total_terms"], everything["sees_everything"], blocks
    )
