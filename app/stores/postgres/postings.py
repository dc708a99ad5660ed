"""Term postings as they are filed: a row for each term of a document, and the counts kept of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)


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
