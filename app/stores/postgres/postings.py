"""Term postings, and BM25 over them.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the
non-negative inverse document frequency that Lucene uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.recall import Candidate
from app.stores.postgres.scope import Scope
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)

TERM_SATURATION = 1.5
LENGTH_NORMALISATION = 0.75
SHARE_UNITS = 1e7
"""A term's share of a score is rounded to this part of one, so that it is a small whole number to add."""


async def insert_postings(
    connection: asyncpg.Connection,
    tenant: int,
    project: int,
    artifact: int,
    frequencies: Mapping[str, int],
    term_count: int,
) -> None:
    """Record how often an artifact holds each of its terms, and count it for each."""
    terms = sorted(frequencies)
    counts = [frequencies[term] for term in terms]
    await connection.execute(SQL["insert_postings"], tenant, project, artifact, terms, counts, term_count)
    await connection.execute(SQL["count_terms"], tenant, project, terms)


async def count_document(
    connection: asyncpg.Connection,
    tenant: int,
    project: int,
    term_count: int,
    created_at: datetime,
    recorded_at: datetime,
) -> None:
    """Count one more document in its project's statistics."""
    await connection.execute(SQL["count_document"], tenant, project, term_count, created_at, recorded_at)


@dataclass(frozen=True, slots=True)
class HeldText:
    """The text of an artifact that holds some terms, and whose it is."""

    artifact: UUID
    entity: UUID
    text: str


async def artifacts_holding(
    connection: asyncpg.Connection, tenant: int, project: int, terms: Sequence[str], limit: int
) -> list[HeldText]:
    """Answer the artifacts of a project that hold all of these terms, at most `limit`, newest first."""
    rows = await connection.fetch(SQL["artifacts_holding"], tenant, project, list(terms), limit)
    return [HeldText(row["id"], row["entity"], f"{row['title']}\n{row['body']}") for row in rows]


async def best_by_bm25(
    connection: asyncpg.Connection, scope: Scope, terms: Sequence[str], limit: int
) -> list[Candidate]:
    """Answer the artifacts that hold these terms best, by BM25 over exactly what the scope can see.

    The kept counts answer for a scope that sees everything; for another, or when a document came in
    between, the terms of what it sees are counted.
    """
    if scope.sees_everything:
        rows = await _best(connection, SQL["best_by_kept_counts"], scope, terms, limit)
        if all(row["sees_everything"] for row in rows):
            return [_candidate(row) for row in rows]
    rows = await _best(connection, SQL["best_by_counting"], scope, terms, limit)
    return [_candidate(row) for row in rows]


async def _best(
    connection: asyncpg.Connection, statement: str, scope: Scope, terms: Sequence[str], limit: int
) -> list[asyncpg.Record]:
    rows: list[asyncpg.Record] = await connection.fetch(
        statement,
        scope.tenant,
        list(scope.projects),
        list(terms),
        scope.moment.valid,
        scope.moment.known,
        TERM_SATURATION,
        LENGTH_NORMALISATION,
        limit,
        scope.types,
        scope.domains,
        SHARE_UNITS,
    )
    return rows


def _candidate(row: asyncpg.Record) -> Candidate:
    return Candidate(row["artifact_number"], row["score"])
