"""Vectors of two models never meet in one ledger."""

from __future__ import annotations

import asyncpg

from app.embedding import Embedder
from app.errors import Conflict
from app.stores.postgres import embeddings
from app.stores.postgres.embeddings import EmbeddingModel


def model_of(embedder: Embedder) -> EmbeddingModel:
    """Answer the model an embedder speaks for."""
    return EmbeddingModel(embedder.name, embedder.fingerprint, embedder.dimensions)


async def require_model(connection: asyncpg.Connection, embedder: Embedder) -> None:
    """Note the embedder's model when the ledger has none yet.

    Raises Conflict, naming both models and the command that re-embeds, when it has another.
    """
    noted = await embeddings.embedding_model(connection)
    if noted is None:
        await embeddings.insert_embedding_model(connection, model_of(embedder))
        noted = await embeddings.embedding_model(connection)
    _check(noted, embedder)


async def check_model(connection: asyncpg.Connection, embedder: Embedder) -> None:
    """Raise Conflict when the ledger's vectors were made with another model than the embedder's."""
    _check(await embeddings.embedding_model(connection), embedder)


def _check(noted: EmbeddingModel | None, embedder: Embedder) -> None:
    if noted is not None and noted != model_of(embedder):
        raise Conflict(
            f"the ledger's vectors were made with {_described(noted)}, and this is"
            f" {_described(model_of(embedder))}; run `trigraph reembed` to make them again,"
            " or go back to the encoder that made them"
        )


def _described(model: EmbeddingModel) -> str:
    return f"{model.name} ({model.dimensions} dimensions, {model.fingerprint})"
