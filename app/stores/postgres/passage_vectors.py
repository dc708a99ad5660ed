"""Passage vectors, their model, and exact nearest-neighbour search over them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import asyncpg
import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from app.domain.artifact import Passage
from app.domain.numbers import ArtifactNumber, ProjectNumber, TenantNumber
from app.domain.recall import Proposal
from app.domain.text import fold
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.scope import Scope, proposal_from
from app.stores.postgres.write_buffer import RowTarget, Table, insert_rows, one_by_one

SQL = sql_blocks(__file__)

_INSERT_EMBEDDINGS = one_by_one(Table.EMBEDDING, SQL["insert_embeddings"])

PASSAGES_PER_ARTIFACT = 8


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """The model that made all vectors of a ledger."""

    name: str
    fingerprint: str
    dimensions: int


async def insert_embeddings(
    target: RowTarget,
    tenant: TenantNumber,
    project: ProjectNumber,
    artifact: ArtifactNumber,
    created_at: datetime,
    recorded_at: datetime,
    vectors: NDArray[np.float32],
) -> None:
    """Record the vectors of an artifact's passages, shape (passages, dimensions), in their order."""
    rows = [
        _INSERT_EMBEDDINGS.row(
            tenant=tenant,
            project=project,
            artifact=artifact,
            ordinal=ordinal,
            created_at=created_at,
            recorded_at=recorded_at,
            vector=HalfVector(vector),
        )
        for ordinal, vector in enumerate(vectors)
    ]
    await insert_rows(target, _INSERT_EMBEDDINGS, rows)


@dataclass(frozen=True, slots=True)
class EmbeddedPassage:
    """A passage with the title of its document and its vector."""

    title: str
    passage: Passage
    vector: NDArray[np.float32]


async def vectors_of_latest(
    connection: asyncpg.Connection, tenant: TenantNumber, project_key: str, key: str, model: str
) -> list[EmbeddedPassage]:
    """Return the passages of the version of a document that was filed last, with their vectors of a model."""
    rows = await connection.fetch(SQL["vectors_of_latest"], tenant, fold(project_key), key, model)
    return [
        EmbeddedPassage(
            row["title"],
            Passage(0, row["heading"], row["text"], 0),
            np.asarray(row["vector"].to_numpy(), np.float32),
        )
        for row in rows
    ]


async def nearest_artifacts(
    connection: asyncpg.Connection, scope: Scope, vector: NDArray[np.float32], model: str, limit: int
) -> Proposal:
    """Return the artifacts with the passage nearest to a vector, scored by cosine.

    `model` is the fingerprint of the model that made the vector; nothing is returned if another model made
    the ledger's vectors. More passages are read when a few artifacts have all the nearest ones.
    """
    passages = limit * PASSAGES_PER_ARTIFACT
    while True:
        rows = await _nearest(connection, scope, vector, model, limit, passages)
        if len(rows) >= limit or not rows or rows[0]["passages"] < passages:
            return proposal_from(rows)
        passages *= PASSAGES_PER_ARTIFACT


async def _nearest(
    connection: asyncpg.Connection,
    scope: Scope,
    vector: NDArray[np.float32],
    model: str,
    limit: int,
    passages: int,
) -> list[asyncpg.Record]:
    rows: list[asyncpg.Record] = await connection.fetch(
        SQL["nearest_artifacts"],
        scope.tenant,
        list(scope.projects),
        scope.moment.valid,
        scope.moment.known,
        HalfVector(vector),
        limit,
        scope.types,
        scope.domains,
        passages,
        model,
        list(scope.absent),
    )
    return rows


async def embedding_model(connection: asyncpg.Connection) -> EmbeddingModel | None:
    """Return the model that made this ledger's vectors; None while there are none."""
    row = await connection.fetchrow(SQL["embedding_model"])
    return None if row is None else EmbeddingModel(row["name"], row["fingerprint"], row["dimensions"])


async def insert_embedding_model(connection: asyncpg.Connection, model: EmbeddingModel) -> None:
    """Record the model of this ledger's vectors, unless one is recorded."""
    await connection.execute(SQL["insert_embedding_model"], model.name, model.fingerprint, model.dimensions)


_LOCK = 0x7265_656D_6265_6464  # "reembedd" in ASCII


@dataclass(frozen=True, slots=True)
class Unembedded:
    """An artifact without vectors, with the data to make and index them."""

    tenant: TenantNumber
    number: ArtifactNumber
    project: ProjectNumber
    title: str
    body: str
    created_at: datetime
    recorded_at: datetime


async def lock(owner: asyncpg.Connection) -> bool:
    """Keep others from re-embedding until the connection closes; return False if another process does it."""
    is_alone: bool = await owner.fetchval(SQL["try_lock"], _LOCK)
    return is_alone


async def forget_vectors(owner: asyncpg.Connection, model: EmbeddingModel) -> None:
    """Delete every vector and record another model, in the caller's transaction.

    Waits for the writes in progress, which rely on the previous model.
    """
    await owner.execute(SQL["hold_model"])
    await owner.execute(SQL["forget_vectors"])
    await replace_model(owner, model)


async def replace_model(owner: asyncpg.Connection, model: EmbeddingModel) -> None:
    """Record the model of the ledger's vectors."""
    await owner.execute(SQL["replace_model"], model.name, model.fingerprint, model.dimensions)


async def count_without_vectors(owner: asyncpg.Connection) -> int:
    """Return how many artifacts have no vectors."""
    count: int = await owner.fetchval(SQL["count_without_vectors"])
    return count


async def artifacts_after(
    owner: asyncpg.Connection, tenant: TenantNumber, number: ArtifactNumber, limit: int
) -> list[Unembedded]:
    """Return the next artifacts without vectors, after this tenant and number."""
    rows = await owner.fetch(SQL["artifacts_after"], tenant, number, limit)
    return [Unembedded(*row.values()) for row in rows]


async def forget_passages(owner: asyncpg.Connection, tenant: TenantNumber, artifact: ArtifactNumber) -> None:
    """Delete an artifact's passages, whose vectors were deleted before."""
    await owner.execute(SQL["forget_passages"], tenant, artifact)
