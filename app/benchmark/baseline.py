"""The baseline: two searches, each as one prepared statement on its own connection.

No service uses them; recall is compared with them.
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
from app.domain.numbers import ArtifactNumber
from app.services.recall.legs.bm25 import LENGTH_NORMALISATION, TERM_SATURATION
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.connection import unwrapped
from app.stores.postgres.passage_vectors import embedding_model
from app.stores.postgres.scope import Scope
from app.stores.postgres.vector_indexes import VectorIndex

SQL = sql_blocks(__file__)

_SCAN = re.compile(
    r"vector <=> \$5 AS distance(\s+FROM embedding\s+WHERE tenant_id = \$1 AND project_id = .*)\s+OFFSET 0"
)


@dataclass(frozen=True, slots=True)
class BaselineHit:
    """One hit of the hybrid statement, and its rank in each leg that proposed it, from 1."""

    artifact: ArtifactNumber
    score: float
    identifier: str | None
    title: str
    passage: str
    dense_rank: int | None
    lexical_rank: int | None
    graph_rank: int | None
    is_replaced: bool


class Baseline:
    """The two prepared statements; the caller owns the connection and uses it for nothing else."""

    def __init__(self, vector_only: Any, hybrid: Any, process: int) -> None:
        self._vector_only = vector_only
        self._hybrid = hybrid
        self.process = process  # the server's, by its number in the system

    @classmethod
    async def prepare(cls, connection: asyncpg.Connection, index: VectorIndex | None = None) -> Baseline:
        """Prepare the statements, each with one generic plan; they use the index if there is one."""
        await connection.execute("SET plan_cache_mode = force_generic_plan")
        vector_only, hybrid = SQL["vector_only"], SQL["hybrid"]
        if index is not None:
            await unwrapped(connection).set_search_width(index.width)
            model = await embedding_model(connection)
            assert model is not None
            vector_only = _through(index, model.dimensions, vector_only)
            hybrid = _through(index, model.dimensions, hybrid)
        return cls(
            await connection.prepare(vector_only),
            await connection.prepare(hybrid),
            connection.get_server_pid(),
        )

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], limit: int) -> list[ArtifactNumber]:
        """Return the artifacts with the passages nearest to a vector; titles and texts are read too."""
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
    ) -> list[BaselineHit]:
        """Return the best hits for a question, from `candidates` of each leg.

        `keys` are the identifiers it names and `strengths` the weight of each type of reference. The scope
        must see every document, because the stored statistics cover all of them.
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
        return [BaselineHit(*row) for row in rows]


def _through(index: VectorIndex, dimensions: int, statement: str) -> str:
    """Return a statement that reads the nearest passages from an index instead of scanning all."""
    distance = f"vector::halfvec({dimensions}) <=> $5"
    nearest = (
        rf"{distance} AS distance\1 AND project_id = {index.project} ORDER BY {distance} LIMIT {index.width}"
    )
    through, scans = _SCAN.subn(nearest, statement)
    assert scans == 1
    return through
