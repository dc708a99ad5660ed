"""Making every vector of a ledger again, with the encoder there is now.

Vectors of two models never meet: the old ones and their indexes are dropped, and an unfinished run noted as
the ledger's model, in one transaction. Until the run is finished every service refuses to open, and filing
refuses to write. A run that was cut off goes on where it stopped, since what has vectors is done. Indexes
are made again at the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import asyncpg

from app.domain.artifact import Passage
from app.embedding import Embedder, Vectors
from app.errors import Conflict
from app.services.indexing import index_large_projects
from app.services.models import model_of
from app.services.parsing import cut_passages, passage_text_for_encoder
from app.stores.postgres import artifacts, embeddings, reembedding, vector_indexes
from app.stores.postgres.embeddings import EmbeddingModel
from app.stores.postgres.ledger_connection import prepared
from app.stores.postgres.owner_connection import owner_connection
from app.stores.postgres.reembedding import Unembedded

AT_ONCE = 8
_UNFINISHED = "unfinished "

Watch = Callable[[int, int], None]


async def reembed(url: str, embedder: Embedder, watch: Watch = lambda done, total: None) -> int:
    """Cut and embed every artifact of every tenant again; answer how many, 0 when there was nothing to do.

    `watch` is told how many are done, and of how many. Raises Conflict when another process does the
    same, and Unavailable when the ledger or the encoder does not answer.
    """
    async with owner_connection(url, seconds=None) as owner:
        if not await reembedding.lock(owner):
            raise Conflict("another process embeds this ledger again; wait until it has finished")
        if not await vector_indexes.lock(owner):
            raise Conflict("another process indexes vectors; `trigraph doctor` tells when it is done")
        await prepared(owner)
        wanted = model_of(embedder)
        if await embeddings.embedding_model(owner) in (None, wanted):
            return 0
        await _begin(owner, unfinished(wanted))
        done = await _embed_all(owner, embedder, watch)
        await reembedding.replace_model(owner, wanted)
    await index_large_projects(url)
    return done


def unfinished(model: EmbeddingModel) -> EmbeddingModel:
    """Answer what a ledger notes as its model while its vectors are made with this one."""
    return replace(
        model, name=f"an unfinished run of {model.name}", fingerprint=f"{_UNFINISHED}{model.fingerprint}"
    )


async def _begin(owner: asyncpg.Connection, noted: EmbeddingModel) -> None:
    async with owner.transaction():
        if await embeddings.embedding_model(owner) != noted:
            await vector_indexes.drop_indexes(owner)
            await reembedding.forget_vectors(owner, noted)


async def _embed_all(owner: asyncpg.Connection, embedder: Embedder, watch: Watch) -> int:
    total = await reembedding.count_without_vectors(owner)
    done, last = 0, (0, 0)
    watch(done, total)
    while batch := await reembedding.artifacts_after(owner, *last, AT_ONCE):
        made = await asyncio.gather(*(_made(artifact, embedder) for artifact in batch))
        async with owner.transaction():
            for artifact, (passages, vectors) in zip(batch, made, strict=True):
                await _write(owner, artifact, passages, vectors)
        done, last = done + len(batch), (batch[-1].tenant, batch[-1].number)
        watch(done, total)
    return done


async def _made(artifact: Unembedded, embedder: Embedder) -> tuple[Sequence[Passage], Vectors]:
    longest = embedder.longest_passage - 2
    passages = await asyncio.to_thread(
        cut_passages, artifact.title, artifact.body, embedder.piece_offsets, longest
    )
    texts = [passage_text_for_encoder(artifact.title, passage) for passage in passages]
    return passages, await embedder.embed_passages(texts)


async def _write(
    owner: asyncpg.Connection, artifact: Unembedded, passages: Sequence[Passage], vectors: Vectors
) -> None:
    await reembedding.forget_passages(owner, artifact.tenant, artifact.number)
    await artifacts.insert_passages(owner, artifact.tenant, artifact.number, passages)
    await embeddings.insert_embeddings(
        owner,
        artifact.tenant,
        artifact.project,
        artifact.number,
        artifact.created_at,
        artifact.recorded_at,
        vectors,
    )
