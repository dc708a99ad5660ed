"""A ledger with nothing in it but what the lexical leg reads, loaded in bulk and packed afterwards."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from time import perf_counter
from uuid import UUID

import asyncpg

from app.benchmark.corpus import SEED, Body, read_corpus
from app.domain.numbers import ProjectNumber, TenantNumber
from app.services.analysis import terms_of
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.migrate import migrate
from app.stores.postgres.projects import ensure_tenant
from tests.packing import pack_all

FIRST_DAY = datetime(2020, 1, 1, tzinfo=UTC)
DAYS = 2_000
PROJECT = ProjectNumber(1)
ARTIFACT = [
    *("tenant_id", "id", "number", "project_id", "entity", "type_id", "title", "body", "created_at"),
    *("recorded_at", "content_hash", "term_count", "actor"),
]
ASKED_ABOUT = 200


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was loaded: its tenant, how often each term is held, and some of the bodies."""

    tenant: TenantNumber
    documents_by_term: Mapping[str, int]
    bodies: tuple[Body, ...]
    packing_seconds: float


async def load(url: str, documents: int, corpora: Path | None) -> Loaded:
    """Load so many documents as rows without blocks, then pack them and tidy up."""
    bodies = list(islice(read_corpus(documents, corpora).bodies(), documents))
    await migrate(url)
    async with owner_connection(url, seconds=None) as owner:
        tenant = await ensure_tenant(owner, "local")
        counts = await _copy(owner, tenant, bodies)
        await owner.execute("VACUUM (ANALYZE)")
        started = perf_counter()
        await pack_all(owner)
        packing = perf_counter() - started
        await owner.execute("VACUUM (ANALYZE)")
    asked = Random(SEED).sample(bodies, min(ASKED_ABOUT, documents))
    return Loaded(tenant, counts, tuple(asked), packing)


async def _copy(owner: asyncpg.Connection, tenant: TenantNumber, bodies: list[Body]) -> dict[str, int]:
    postings: dict[str, array[int]] = defaultdict(lambda: array("I"))
    random = Random(SEED)
    lengths, born = [], []
    for number, body in enumerate(bodies, start=1):
        analysed = terms_of("\n".join((body.title, *body.paragraphs)))
        lengths.append(analysed.length)
        born.append(FIRST_DAY + timedelta(days=random.random() * DAYS))
        for term, frequency in analysed.terms.items():
            postings[term].extend((number, frequency, analysed.length))
    counts = {term: len(held) // 3 for term, held in postings.items()}
    async with owner.transaction():
        # Neither entities nor a project's states are looked at here.
        await owner.execute("SET LOCAL session_replication_role = replica")
        await owner.copy_records_to_table(
            "artifact", records=_artifacts(tenant, bodies, lengths, born), columns=ARTIFACT
        )
        await owner.copy_records_to_table("posting", records=_postings(tenant, postings))
        await owner.copy_records_to_table(
            "term_statistics",
            records=[(tenant, term, PROJECT, count) for term, count in sorted(counts.items())],
        )
        await _count(owner, tenant, lengths, born)
    return counts


async def _count(
    owner: asyncpg.Connection, tenant: TenantNumber, lengths: list[int], born: list[datetime]
) -> None:
    """Make the project, count its documents and set the clock to the last of them."""
    await owner.execute(
        "INSERT INTO project OVERRIDING SYSTEM VALUE VALUES ($1, $2, 'bench', 'bench', 'bench', now())",
        tenant,
        PROJECT,
    )
    last = _recorded(len(lengths))
    await owner.execute(
        "INSERT INTO scope_statistics VALUES ($1, $2, $3, $4, $5, $6)",
        tenant,
        PROJECT,
        len(lengths),
        sum(lengths),
        max(born),
        last,
    )
    await owner.execute("UPDATE ledger_clock SET recorded_at = $2 WHERE tenant_id = $1", tenant, last)


def _artifacts(
    tenant: TenantNumber, bodies: list[Body], lengths: list[int], born: list[datetime]
) -> Iterator[tuple[object, ...]]:
    for number, (body, length, moment) in enumerate(zip(bodies, lengths, born, strict=True), start=1):
        name = UUID(int=number)
        yield (
            tenant, name, number, PROJECT, name, 1 + number % 5, body.title, "", moment, _recorded(number),
            "", length, "bench",
        )  # fmt: skip


def _postings(tenant: TenantNumber, postings: Mapping[str, array[int]]) -> Iterator[tuple[object, ...]]:
    for term, held in sorted(postings.items(), key=lambda item: item[0].encode()):
        for number, frequency, length in zip(held[::3], held[1::3], held[2::3], strict=True):
            yield tenant, term, PROJECT, number, frequency, length


def _recorded(number: int) -> datetime:
    return FIRST_DAY + timedelta(days=DAYS, seconds=number)
