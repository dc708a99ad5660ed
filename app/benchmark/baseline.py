"""The least a search costs here: each of two searches as one prepared statement on a connection of its own.

Nothing serves these; they are what recall is measured beside.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import asyncpg
import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from app.domain.entity import ReferenceType
from app.services.recall.legs.bm25 import LENGTH_NORMALISATION, TERM_SATURATION
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.passage_vectors import embedding_model
from app.stores.postgres.scope import Scope
from app.stores.postgres.vector_indexes import VectorIndex

SQL = sql_blocks(__file__)

_SCAN = re.compile(
    r"vector <=> \$5 AS distance(\s+FROM embedding\s+WHERE tenant_id = \$1 AND project_id = .*)\s+OFFSET 0"
)


@dataclass(frozen=True, slots=True)
class FloorHit:
    """One answer of the hybrid statement, and its rank in each leg that proposed it, from 1."""

    artifact: int
    score: float
    identifier: str | None
    title: str
    passage: str
    dense_rank: int | None
    lexical_rank: int | None
    graph_rank: int | None
    is_replaced: bool


class Floor:
    """The two statements, prepared; the connection stays its lender's and serves nothing else meanwhile."""

    def __init__(self, vector_only: Any, hybrid: Any, process: int) -> None:
        self._vector_only = vector_only
        self._hybrid = hybrid
        self.process = process  # the server's, by its number in the system

    @classmethod
    async def prepare(cls, connection: asyncpg.Connection, index: VectorIndex | None = None) -> Floor:
        """Prepare the statements, each with one plan for all questions; with an index they use it."""
        await connection.execute("SET plan_cache_mode = force_generic_plan")
        vector_only, hybrid = SQL["vector_only"], SQL["hybrid"]
        if index is not None:
            await connection.keep_at_hand(index.width)
            model = await embedding_model(connection)
            assert model is not None
            vector_only = _through(index, model.dimensions, vector_only)
            hybrid = _through(index, model.dimensions, hybrid)
        return cls(
            await connection.prepare(vector_only),
            await connection.prepare(hybrid),
            connection.get_server_pid(),
        )

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], limit: int) -> list[int]:
        """Return the artifacts whose passages lie nearest to a vector; their titles and texts come along."""
        moment = scope.moment
        rows = await self._vector_only.fetch(
            scope.tenant, list(scope.projects), moment.valid, moment.known, HalfVector(vector), limit
        )
        return [row["artifact_number"] for row in rows]

    async def best(
        self,
        scope: Scope,
        vector: NDArray[np.float32],
        terms: Sequence[str],
        keys: Sequence[str],
        strengths: Mapping[ReferenceType, float],
        candidates: int,
        limit: int,
    ) -> list[FloorHit]:
        """Return what fits a question best, from `candidates` of each leg.

        `keys` are the identifiers it names and `strengths` what each type of reference counts. The scope
        must see all that is filed, for the kept statistics are of everything.
        """
        rows = await self._hybrid.fetch(
            scope.tenant,
            list(scope.projects),
            scope.moment.valid,
            scope.moment.known,
            HalfVector(vector),
            list(terms),
            list(keys),
            list(strengths),
            list(strengths.values()),
            TERM_SATURATION,
            LENGTH_NORMALISATION,
            candidates,
            limit,
        )
        return [FloorHit(*row) for row in rows]


def _through(index: VectorIndex, dimensions: int, statement: str) -> str:
    """Return a statement that takes the nearest passages from an index where this one scans all."""
    distance = f"vector::halfvec({dimensions}) <=> $5"
    nearest = (
        rf"{distance} AS distance\1 AND project_id = {index.project} ORDER BY {distance} LIMIT {index.width}"
    )
    through, scans = _SCAN.subn(nearest, statement)
    assert scans == 1
    return through
