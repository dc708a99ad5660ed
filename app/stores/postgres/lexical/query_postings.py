"""Read the postings of a query's terms in blocks; full blocks are cached."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import numpy as np
from numpy.typing import NDArray

from app.domain.numbers import BEFORE_ARTIFACTS, ArtifactNumber, TenantNumber
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.lexical.block_cache import (
    FullBlocks,
    HeldTerm,
    Numbers,
    Postings,
    PostingsCache,
    concatenate_postings,
    microseconds,
    unpack_numbers,
    whole_numbers,
)
from app.stores.postgres.scope import Scope

SQL = sql_blocks(__file__)

_BYTES_PER_POSTING = 12


@dataclass(frozen=True, slots=True)
class PackedPostings:
    """The packed postings of some terms, and the total size of their projects.

    `sees_everything` means that the scope's moment sees all of it. `held` are the cached full blocks, and
    `blocks` all others.
    """

    documents: int
    total_terms: int
    sees_everything: bool
    tenant: TenantNumber
    held: Mapping[HeldTerm, FullBlocks]
    blocks: Sequence[asyncpg.Record]
    cache: PostingsCache

    def __len__(self) -> int:
        read = sum(len(block["packed"]) for block in self.blocks) // _BYTES_PER_POSTING
        return read + sum(len(full.postings) for full in self.held.values())

    def unpack(self) -> list[list[Postings]]:
        """Return the postings of each term, in pieces; full blocks are cached from now on."""
        full = dict(self.held)
        for term, blocks in self._read(are_full=True).items():
            full[term] = _longer(full.get(term), blocks)
            self.cache.keep(term, full[term])
        terms: dict[str, list[Postings]] = defaultdict(list)
        for term, held in full.items():
            terms[term.term].append(held.postings)
        for term, blocks in self._read(are_full=False).items():
            terms[term.term].append(_unpack(blocks, full[term].last if term in full else BEFORE_ARTIFACTS))
        return list(terms.values())

    def _read(self, *, are_full: bool) -> dict[HeldTerm, list[asyncpg.Record]]:
        found: dict[HeldTerm, list[asyncpg.Record]] = defaultdict(list)
        for block in self.blocks:
            if block["is_full"] is are_full:
                found[HeldTerm(self.tenant, block["project_id"], block["term"])].append(block)
        return found


async def postings_of_terms(
    connection: asyncpg.Connection, cache: PostingsCache, scope: Scope, terms: Sequence[str]
) -> PackedPostings:
    """Return every posting of these terms in the scope's projects, whatever the scope's moment."""
    held = cache.of(scope.tenant, scope.projects, terms)
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
        cache,
    )


def _longer(held: FullBlocks | None, blocks: list[asyncpg.Record]) -> FullBlocks:
    """Return the full blocks of a term: the held ones and those that followed."""
    blocks.sort(key=lambda block: block["last_number"])
    last = blocks[-1]["last_number"]
    if held is None:
        return FullBlocks(last, _unpack(blocks, BEFORE_ARTIFACTS))
    return FullBlocks(last, concatenate_postings(held.postings, _unpack(blocks, held.last)))


def _unpack(blocks: Sequence[asyncpg.Record], after: ArtifactNumber) -> Postings:
    """Return the postings of blocks that follow a number, however the blocks are now divided."""
    sizes = [len(block["packed"]) // _BYTES_PER_POSTING for block in blocks]
    lasts = np.array([block["last_number"] for block in blocks], np.int64)
    packed = np.frombuffer(b"".join(block["packed"] for block in blocks), ">u4").reshape(-1, 3)
    lower, frequencies, term_counts = packed.T.astype(np.uint32)
    artifacts = whole_numbers(lower, np.repeat(lasts, sizes))
    since = int(np.searchsorted(artifacts, after, "right"))
    return Postings.of(artifacts[since:], frequencies[since:], term_counts[since:])


_EVER = b"\x80" + bytes(7)
"""The earliest moment, for blocks in which no document is too late."""


@dataclass(frozen=True, slots=True)
class SeenDocuments:
    """The number of documents that a moment sees, their number of terms, and the unseen documents.

    Of the documents up to the number `last` it sees all but `unseen`; later ones were filed after this read.
    `wanted` are those of the scope's types and domains; None means all of them.
    """

    documents: int
    total_terms: int
    last: ArtifactNumber
    unseen: Numbers
    wanted: Numbers | None

    def among(self, artifacts: Numbers) -> NDArray[np.bool_]:
        """Return, for each artifact, whether it is seen."""
        seen: NDArray[np.bool_] = np.isin(artifacts, self.unseen, invert=True)
        seen &= artifacts <= self.last
        return seen


@dataclass(frozen=True, slots=True)
class PackedDocuments:
    """The documents of a scope in packed blocks.

    All documents of a block without numbers are seen and wanted.
    """

    scope: Scope
    blocks: Sequence[asyncpg.Record]

    def visible(self) -> SeenDocuments:
        """Return which documents the scope's moment sees and which the scope wants."""
        scope = self.scope
        whole = [block for block in self.blocks if block["numbers"] is None]
        partial = [block for block in self.blocks if block["numbers"] is not None]
        numbers = _numbers(partial)
        term_counts = unpack_numbers((block["term_counts"] for block in partial), ">u4")
        is_seen = _until(scope.moment.valid, "created_at", partial)
        is_seen &= _until(scope.moment.known, "recorded_at", partial)
        is_seen &= np.isin(numbers, scope.absent, invert=True)
        return SeenDocuments(
            documents=sum(block["documents"] for block in whole) + int(np.count_nonzero(is_seen)),
            total_terms=sum(block["total_terms"] for block in whole) + int((term_counts * is_seen).sum()),
            last=max((block["last_number"] for block in self.blocks), default=BEFORE_ARTIFACTS),
            unseen=np.compress(~is_seen, numbers),
            wanted=np.compress(_wanted_mask(scope, partial), numbers) if is_narrow(scope) else None,
        )


def is_narrow(scope: Scope) -> bool:
    """Return whether a scope wants some types or domains only."""
    return scope.types is not None or scope.domains is not None


def needs_documents(scope: Scope) -> bool:
    """Return whether a scope leaves out some documents that lie before its moment."""
    return is_narrow(scope) or bool(scope.absent)


async def documents_of_projects(connection: asyncpg.Connection, scope: Scope) -> PackedDocuments:
    """Return the packed documents of the scope's projects."""
    blocks = await connection.fetch(
        SQL["documents_of_projects"],
        scope.tenant,
        list(scope.projects),
        scope.moment.valid,
        scope.moment.known,
        needs_documents(scope),
    )
    return PackedDocuments(scope, blocks)


def _numbers(blocks: Sequence[asyncpg.Record]) -> Numbers:
    lasts = np.array([block["last_number"] for block in blocks], np.int64)
    lower = unpack_numbers((block["numbers"] for block in blocks), ">u4")
    return whole_numbers(lower, np.repeat(lasts, [block["documents"] for block in blocks]))


def _until(moment: datetime, column: str, blocks: Sequence[asyncpg.Record]) -> NDArray[np.bool_]:
    """Return, for each document, whether one of its times is no later than a moment."""
    packed = (block[column] or _EVER * block["documents"] for block in blocks)
    is_past: NDArray[np.bool_] = unpack_numbers(packed, ">i8") <= microseconds(moment)
    return is_past


def _wanted_mask(scope: Scope, blocks: Sequence[asyncpg.Record]) -> NDArray[np.bool_]:
    wanted = np.ones(sum(block["documents"] for block in blocks), np.bool_)
    if scope.types is not None:
        wanted &= np.isin(unpack_numbers((block["types"] for block in blocks), ">u4"), scope.types)
    if scope.domains is not None:
        wanted &= np.concatenate([_of_domains(scope.domains, block) for block in blocks])
    return wanted


def _of_domains(domains: Collection[str], block: asyncpg.Record) -> NDArray[np.bool_]:
    """Return, for each document of a block, whether its domain (an index into the names) is one of these."""
    named = np.array([False, *(name in domains for name in block["domain_names"])])
    is_wanted: NDArray[np.bool_] = named[np.frombuffer(block["domains"], np.uint8)]
    return is_wanted
