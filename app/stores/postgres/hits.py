"""What a hit shows: the artifact and the passage that answers."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg
import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from app.domain.artifact import Artifact, Passage
from app.stores.postgres.artifacts import artifact_from, passage_from
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)

SHORT_PASSAGE_TOKENS = 24
SHORT_PASSAGE_HANDICAP = 0.15


async def read_hits(
    connection: asyncpg.Connection, tenant: int, numbers: Sequence[int], vector: NDArray[np.float32] | None
) -> dict[int, tuple[Artifact, Passage]]:
    """Answer these artifacts by number, each with its passage nearest to a vector, short ones held back.

    Without a vector the first passage speaks, and no vector is looked at.
    """
    if vector is None:
        rows = await connection.fetch(SQL["hits_from_the_start"], tenant, list(numbers))
    else:
        rows = await connection.fetch(
            SQL["hits_by_vector"],
            tenant,
            list(numbers),
            HalfVector(vector),
            SHORT_PASSAGE_HANDICAP,
            SHORT_PASSAGE_TOKENS,
        )
    return {row["number"]: (artifact_from(row), passage_from(row)) for row in rows}
