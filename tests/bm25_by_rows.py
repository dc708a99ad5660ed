"""BM25 in SQL, posting by posting: what the lexical leg has to answer, to the last digit."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg

from app.domain.recall import Candidate
from app.services.recall.legs.bm25 import LENGTH_NORMALISATION, SHARE_UNITS, TERM_SATURATION
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.scope import Scope

SQL = sql_blocks(__file__)


async def best_by_kept_counts(
    connection: asyncpg.Connection, scope: Scope, terms: Sequence[str], limit: int
) -> list[Candidate]:
    """Return the best by the counts of everything, which the scope has to see."""
    return await _best(connection, SQL["best_by_kept_counts"], scope, terms, limit)


async def best_by_counting(
    connection: asyncpg.Connection, scope: Scope, terms: Sequence[str], limit: int
) -> list[Candidate]:
    """Return the best among exactly what the scope sees."""
    return await _best(connection, SQL["best_by_counting"], scope, terms, limit)


async def _best(
    connection: asyncpg.Connection, statement: str, scope: Scope, terms: Sequence[str], limit: int
) -> list[Candidate]:
    rows = await connection.fetch(
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
    return [Candidate(row["artifact_number"], row["score"]) for row in rows]
