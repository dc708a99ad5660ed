"""The postings of a question's terms, read in blocks; full ones are read once and kept at hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import numpy as np
from numpy.typing import NDArray

from app.stores.named_blocks import sql_blocks
from app.stores.postgres.lexical.block_cache import (
    FullBlocks,
    HeldTerm,
    Numbers,
    Postings,
    PostingsCache,
    joined,
    microseconds,
    unpacked,
    whole_numbers,
)
from app.stores.postgres.scope import Scope

SQL = sql_blocks(__file__)

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
    at_hand: PostingsCache

    def __len__(self) -> int:
        read = sum(len(block["packed"]) for block in self.blocks) // _BYTES_PER_POSTING
        return read + sum(len(full.postings) for full in self.held.values())

    def unpacked(self) -> list[list[Postings]]:
        """Return the postings of each term, in some pieces; full blocks are at hand from now on."""
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
    connection: asyncpg.Connection, at_hand: PostingsCache, scope: Scope, terms: Sequence[str]
) -> PackedPostings:
    """Return every posting of these terms in the scope's projects, whatever its moment sees of them."""
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
    """Return the full blocks of a term, those that came after the held ones too."""
    blocks.sort(key=lambda block: block["last_number"])
    last = blocks[-1]["last_number"]
    if held is None:
        return FullBlocks(last, _unpacked(blocks, 0))
    return FullBlocks(last, joined(held.postings, _unpacked(blocks, held.last)))


def _unpacked(blocks: Sequence[asyncpg.Record], after: int) -> Postings:
    """Return the postings of blocks, those up to a number left out: whatever the blocks are cut like now."""
    sizes = [len(block["packed"]) // _BYTES_PER_POSTING for block in blocks]
    lasts = np.array([block["last_number"] for block in blocks], np.int64)
    packed = np.frombuffer(b"".join(block["packed"] for block in blocks), ">u4").reshape(-1, 3)
    lower, frequencies, term_counts = packed.T.astype(np.uint32)
    artifacts = whole_numbers(lower, np.repeat(lasts, sizes))
    since = int(np.searchsorted(artifacts, after, "right"))
    return Postings.of(artifacts[since:], frequencies[since:], term_counts[since:])


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
    """Return whether a scope wants some types or domains only."""
    return scope.types is not None or scope.domains is not None


async def documents_of_projects(connection: asyncpg.Connection, scope: Scope) -> PackedDocuments:
    """Return what the scope's projects hold."""
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
