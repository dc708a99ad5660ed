"""The postings of a question's terms, read in blocks; full ones are read once and kept at hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import asyncpg
import numpy as np

from app.stores.postgres.packed import whole_numbers
from app.stores.postgres.postings_at_hand import FullBlocks, HeldTerm, Postings, PostingsAtHand, joined
from app.stores.postgres.scope import Scope
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)

_BYTES_PER_POSTING = 12


@dataclass(frozen=True, slots=True)
class PackedPostings:
    """The postings of some terms as they were read, and how much their projects hold altogether.

    `sees_everything` tells that the scope's moment sees all of it. `held` are the full blocks that were at
    hand, and `blocks` all others.
    """

    documents: int
    total_terms: int
    sees_everything: bool
    tenant: int
    held: Mapping[HeldTerm, FullBlocks]
    blocks: Sequence[asyncpg.Record]
    at_hand: PostingsAtHand

    def __len__(self) -> int:
        read = sum(len(block["packed"]) for block in self.blocks) // _BYTES_PER_POSTING
        return read + sum(len(full.postings) for full in self.held.values())

    def unpacked(self) -> list[list[Postings]]:
        """Answer the postings of each term, in some pieces; full blocks are at hand from now on."""
        full = dict(self.held)
        for term, blocks in self._read(are_full=True).items():
            full[term] = _longer(full.get(term), blocks)
            self.at_hand.keep(term, full[term])
        terms: dict[str, list[Postings]] = defaultdict(list)
        for term, held in full.items():
            terms[term.term].append(held.postings)
        for term, blocks in self._read(are_full=False).items():
            terms[term.term].append(_unpacked(blocks, full[term].last if term in full else 0))
        return list(terms.values())

    def _read(self, *, are_full: bool) -> dict[HeldTerm, list[asyncpg.Record]]:
        found: dict[HeldTerm, list[asyncpg.Record]] = defaultdict(list)
        for block in self.blocks:
            if block["is_full"] is are_full:
                found[HeldTerm(self.tenant, block["project_id"], block["term"])].append(block)
        return found


async def postings_of_terms(
    connection: asyncpg.Connection, at_hand: PostingsAtHand, scope: Scope, terms: Sequence[str]
) -> PackedPostings:
    """Answer every posting of these terms in the scope's projects, whatever its moment sees of them."""
    held = at_hand.of(scope.tenant, scope.projects, terms)
    everything, *blocks = await connection.fetch(
        SQL["postings_of_terms"],
        scope.tenant,
        list(scope.projects),
        list(terms),
        scope.moment.valid,
        scope.moment.known,
        [each.term for each in held],
        [each.project for each in held],
        [full.last for full in held.values()],
    )
    return PackedPostings(
        everything["documents"],
        everything["total_terms"],
        everything["sees_everything"],
        scope.tenant,
        held,
        blocks,
        at_hand,
    )


def _longer(held: FullBlocks | None, blocks: list[asyncpg.Record]) -> FullBlocks:
    """Answer the full blocks of a term, those that came after the held ones too."""
    blocks.sort(key=lambda block: block["last_number"])
    last = blocks[-1]["last_number"]
    if held is None:
        return FullBlocks(last, _unpacked(blocks, 0))
    return FullBlocks(last, joined(held.postings, _unpacked(blocks, held.last)))


def _unpacked(blocks: Sequence[asyncpg.Record], after: int) -> Postings:
    """Answer the postings of blocks, those up to a number left out: whatever the blocks are cut like now."""
    sizes = [len(block["packed"]) // _BYTES_PER_POSTING for block in blocks]
    lasts = np.array([block["last_number"] for block in blocks], np.int64)
    packed = np.frombuffer(b"".join(block["packed"] for block in blocks), ">u4").reshape(-1, 3)
    lower, frequencies, term_counts = packed.T.astype(np.uint32)
    artifacts = whole_numbers(lower, np.repeat(lasts, sizes))
    since = int(np.searchsorted(artifacts, after, "right"))
    return Postings.of(artifacts[since:], frequencies[since:], term_counts[since:])
