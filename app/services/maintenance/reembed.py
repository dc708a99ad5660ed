"""Re-embed a ledger: make every vector again with the current encoder.

Vectors of two models are never mixed: one transaction drops the old ones and their indexes, and records an
unfinished run as the ledger's model. Until the run is finished every service refuses to open, and filing
refuses to write. An interrupted run continues where it stopped: artifacts that have vectors are done. Indexes
are made again at the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import asyncpg

from app.domain.artifact import Passage
from app.domain.numbers import BEFORE_ARTIFACTS, TenantNumber
from app.embedding import Embedder, Vectors
from app.errors import Conflict
from app.services.maintenance.periodic import index_large_projects
from app.services.parsing import cut_passages, passage_text_for_encoder
from app.stores.postgres import artifacts, passage_vectors, vector_indexes
from app.stores.postgres.connection import init_connection, owner_connection
from app.stores.postgres.passage_vectors import EmbeddingModel, Unembedded


def model_of(embedder: Embedder) -> EmbeddingModel:
    """Return the embedding model of an embedder."""
    return EmbeddingModel(embedder.name, embedder.fingerprint, embedder.dimensions)


async def require_model(connection: asyncpg.Connection, embedder: Embedder) -> None:
    """Record the embedder's model if the ledger has none yet.

    Raises Conflict, naming both models and the command that re-embeds, if it has another.
    """
    noted = await passage_vectors.embedding_model(connection)
    if noted is None:
        await passage_vectors.insert_embedding_model(connection, model_of(embedder))
        noted = await passage_vectors.embedding_model(connection)
    _check(noted, embedder)


async def check_model(connection: asyncpg.Connection, embedder: Embedder) -> None:
    """Raise Conflict if the ledger's vectors were made with another model than the embedder's."""
    _check(await passage_vectors.embedding_model(connection), embedder)


def _check(noted: EmbeddingModel | None, embedder: Embedder) -> None:
    if noted is not None and noted != model_of(embedder):
        raise Conflict(
            f"the vectors of the ledger are from {_describe(noted)}, and this encoder is"
            f" {_describe(model_of(embedder))}; run `trigraph reembed` to compute them"
            " again, or go back to the former encoder"
        )


def _describe(model: EmbeddingModel) -> str:
    return f"{model.name} ({model.dimensions} dimensions, {model.fingerprint})"


AT_ONCE = 8
_UNFINISHED = "unfinished "

Watch = Callable[[int, int], None]


async def reembed(url: str, embedder: Embedder, watch: Watch = lambda done, total: None) -> int:
    """Cut and embed every artifact of every tenant again; return how many, 0 if there was nothing to do.

    `watch` receives how many are done, and of how many. Raises Conflict if another process does the same,
    and Unavailable if the ledger or the encoder does not answer.
    """
    async with owner_connection(url, seconds=None) as owner:
        if not await passage_vectors.lock(owner):
            raise Conflict("another process is re-embedding this ledger; wait until it has finished")
        if not await vector_indexes.lock(owner):
            raise Conflict(
                "another process is building vector indexes; `trigraph doctor` shows when it has finished"
            )
        await init_connection(owner)
        wanted = model_of(embedder)
        if await passage_vectors.embedding_model(owner) in (None, wanted):
            return 0
        await _begin(owner, unfinished(wanted))
        done = await _embed_all(owner, embedder, watch)
        await passage_vectors.replace_model(owner, wanted)
    await index_large_projects(url)
    return done


def unfinished(model: EmbeddingModel) -> EmbeddingModel:
    """Return the model that a ledger records while its vectors are made with this one."""
    return replace(
        model, name=f"an unfinished run of {model.name}", fingerprint=f"{_UNFINISHED}{model.fingerprint}"
    )


async def _begin(owner: asyncpg.Connection, noted: EmbeddingModel) -> None:
    async with owner.transaction():
        if await passage_vectors.embedding_model(owner) != noted:
            await vector_indexes.drop_indexes(owner)
            await passage_vectors.forget_vectors(owner, noted)


async def _embed_all(owner: asyncpg.Connection, embedder: Embedder, watch: Watch) -> int:
    total = await passage_vectors.count_without_vectors(owner)
    done, last = 0, (TenantNumber(0), BEFORE_ARTIFACTS)
    watch(done, total)
    while batch := await passage_vectors.artifacts_after(owner, *last, AT_ONCE):
        made = await asyncio.gather(*(_embed(artifact, embedder) for artifact in batch))
        async with owner.transaction():
            for artifact, (passages, vectors) in zip(batch, made, strict=True):
                await _write(owner, artifact, passages, vectors)
        done, last = done + len(batch), (batch[-1].tenant, batch[-1].number)
        watch(done, total)
    return done


async def _embed(artifact: Unembedded, embedder: Embedder) -> tuple[Sequence[Passage], Vectors]:
    longest = embedder.longest_passage - 2
    passages = await asyncio.to_thread(
        cut_passages, artifact.title, artifact.body, embedder.piece_offsets, longest
    )
    texts = [passage_text_for_encoder(artifact.title, passage) for passage in passages]
    return passages, await embedder.embed_passages(texts)


async def _write(
    owner: asyncpg.Connection, artifact: Unembedded, passages: Sequence[Passage], vectors: Vectors
) -> None:
    await passage_vectors.forget_passages(owner, artifact.tenant, artifact.number)
    await artifacts.insert_passages(owner, artifact.tenant, artifact.number, passages)
    await passage_vectors.insert_embeddings(
        owner,
        artifact.tenant,
        artifact.project,
        artifact.number,
        artifact.created_at,
        artifact.recorded_at,
        vectors,
    )
