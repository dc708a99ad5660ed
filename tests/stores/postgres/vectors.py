"""Vectors in bulk: as many as an index needs to be worth while, and fewer than filing texts would take."""

from __future__ import annotations

from datetime import datetime

import asyncpg
import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.asyncpg import register_vector

from app.domain.numbers import ProjectNumber, TenantNumber

DIMENSIONS = 384
PASSAGES = 2
_WAYS = 24


def made_vectors(count: int, seed: int = 1) -> NDArray[np.float32]:
    """Return unit vectors that vary, as those of texts do, in far fewer ways than they have dimensions."""
    axes = np.random.default_rng(0).normal(size=(_WAYS, DIMENSIONS))
    vectors = np.random.default_rng(seed).normal(size=(count, _WAYS)) @ axes
    unit: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


async def put_vectors(
    owner: asyncpg.Connection,
    tenant: TenantNumber,
    project: ProjectNumber,
    vectors: NDArray[np.float32],
    at: datetime,
    *,
    first_artifact: int = 1_000_000,
) -> None:
    """Put vectors into a project, two for each artifact; of the artifacts nothing else is there."""
    await register_vector(owner)
    await owner.execute("SET session_replication_role = replica")
    records = [
        (tenant, project, first_artifact + place // PASSAGES, place % PASSAGES, at, at, HalfVector(vector))
        for place, vector in enumerate(vectors)
    ]
    columns = [
        "tenant_id", "project_id", "artifact_number", "ordinal", "created_at", "recorded_at", "vector",
    ]  # fmt: skip
    await owner.copy_records_to_table("embedding", records=records, columns=columns)
    await owner.execute("SET session_replication_role = origin")
    await owner.execute("ANALYZE embedding")
