"""Replacing every vector of a ledger, as its owner; what it holds of record stays untouched."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import asyncpg

from app.stores.postgres.embeddings import EmbeddingModel
from app.stores.postgres.sql import blocks_beside

SQL = blocks_beside(__file__)
_LOCK = 0x7265_656D_6265_6464  # "reembedd" in ASCII


@dataclass(frozen=True, slots=True)
class Unembedded:
    """An artifact without vectors, with what making and searching them takes."""

    tenant: int
    number: int
    project: int
    title: str
    body: str
    created_at: datetime
    recorded_at: datetime


async def lock(owner: asyncpg.Connection) -> bool:
    """Keep others from re-embedding until the connection closes; tell whether nobody does already."""
    is_alone: bool = await owner.fetchval(SQL["try_lock"], _LOCK)
    return is_alone


async def forget_vectors(owner: asyncpg.Connection, model: EmbeddingModel) -> None:
    """Drop every vector and note another model, in the caller's transaction.

    Waits for the writes under way, which rely on the model noted before.
    """
    await owner.execute(SQL["hold_model"])
    await owner.execute(SQL["forget_vectors"])
    await replace_model(owner, model)


async def replace_model(owner: asyncpg.Connection, model: EmbeddingModel) -> None:
    """Note with what the ledger's vectors are made."""
    await owner.execute(SQL["replace_model"], model.name, model.fingerprint, model.dimensions)


async def count_without_vectors(owner: asyncpg.Connection) -> int:
    """Answer how many artifacts have no vectors."""
    count: int = await owner.fetchval(SQL["count_without_vectors"])
    return count


async def artifacts_after(
    owner: asyncpg.Connection, tenant: int, number: int, limit: int
) -> list[Unembedded]:
    """Answer the next artifacts without vectors, after this tenant and number."""
    rows = await owner.fetch(SQL["artifacts_after"], tenant, number, limit)
    return [Unembedded(*row.values()) for row in rows]


async def forget_passages(owner: asyncpg.Connection, tenant: int, artifact: int) -> None:
    """Drop an artifact's passages, whose vectors are gone."""
    await owner.execute(SQL["forget_passages"], tenant, artifact)
