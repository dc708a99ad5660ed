"""Write term postings: a row for each term of a document, and the statistics of its project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.artifact import TermCounts
from app.domain.numbers import ArtifactNumber, ProjectNumber, TenantNumber
from app.stores.named_blocks import Statement, sql_blocks
from app.stores.postgres.write_buffer import Insert, Row, RowTarget, Table, insert_row

SQL = sql_blocks(__file__)

_POSTINGS = Statement.read(SQL["insert_postings"])
_DOCUMENTS = Statement.read(SQL["count_documents"])


async def insert_postings(
    target: RowTarget,
    tenant: TenantNumber,
    project: ProjectNumber,
    artifact: ArtifactNumber,
    frequencies: Mapping[str, int] | TermCounts,
    term_count: int,
) -> None:
    """Record how often an artifact contains each of its terms, and update the terms' counts."""
    counts = frequencies if isinstance(frequencies, TermCounts) else TermCounts.of(frequencies)
    await insert_row(
        target,
        _INSERT_POSTINGS,
        tenant=tenant,
        project=project,
        artifact=artifact,
        counts=counts,
        term_count=term_count,
    )


async def count_document(
    target: RowTarget,
    tenant: TenantNumber,
    project: ProjectNumber,
    term_count: int,
    created_at: datetime,
    recorded_at: datetime,
) -> None:
    """Add one document to its project's statistics."""
    await insert_row(
        target,
        _COUNT_DOCUMENTS,
        tenant=tenant,
        project=project,
        term_count=term_count,
        created_at=created_at,
        recorded_at=recorded_at,
    )


async def _write_postings(connection: asyncpg.Connection, rows: Sequence[Row]) -> None:
    for (tenant, project), documents in _by_project(rows):
        held = [each for each in documents if each[1].names]
        numbers, lengths = [number for number, _, _ in held], [length for _, _, length in held]
        # The driver looks at every element of an array, and these are thousands.
        terms, counts = [each.names for _, each, _ in held], [each.counts for _, each, _ in held]
        values = _POSTINGS.arguments(
            tenant=tenant, project=project, numbers=numbers, term_counts=lengths, terms=terms, counts=counts
        )
        await connection.execute(_POSTINGS.text, *values)
        await connection.execute(SQL["count_terms"], tenant, project, terms)


async def _count_documents(connection: asyncpg.Connection, rows: Sequence[Row]) -> None:
    for (tenant, project), documents in _by_project(rows):
        lengths, created, recorded = zip(*documents, strict=True)
        values = _DOCUMENTS.arguments(
            tenant=tenant,
            project=project,
            documents=len(documents),
            total_terms=sum(lengths),
            latest_created_at=max(created),
            latest_recorded_at=max(recorded),
        )
        await connection.execute(_DOCUMENTS.text, *values)


def _by_project(rows: Sequence[Row]) -> list[tuple[tuple[TenantNumber, ProjectNumber], list[Row]]]:
    grouped: dict[tuple[TenantNumber, ProjectNumber], list[Row]] = defaultdict(list)
    for tenant, project, *document in rows:
        grouped[tenant, project].append(tuple(document))
    return list(grouped.items())


_INSERT_POSTINGS = Insert(
    Table.POSTING, ("tenant", "project", "artifact", "counts", "term_count"), _write_postings
)
_COUNT_DOCUMENTS = Insert(
    Table.COUNT, ("tenant", "project", "term_count", "created_at", "recorded_at"), _count_documents
)


@dataclass(frozen=True, slots=True)
class HeldText:
    """The text of an artifact that contains some terms, and its entity."""

    artifact: UUID
    entity: UUID
    text: str


async def artifacts_holding(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    project: ProjectNumber,
    terms: Sequence[str],
    limit: int,
) -> list[HeldText]:
    """Return the artifacts of a project that contain all of these terms, at most `limit`, newest first."""
    rows = await connection.fetch(SQL["artifacts_holding"], tenant, project, list(terms), limit)
    return [HeldText(row["id"], row["entity"], f"{row['title']}\n{row['body']}") for row in rows]
