from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import asyncpg
import numpy as np
import pytest

from app.embedding import Embedder, Vector, Vectors
from app.errors import Conflict
from app.services.container import Memory
from app.services.maintenance.reembed import check_model, model_of, reembed, unfinished
from app.stores.postgres import passage_vectors
from tests.conftest import memory_on
from tests.documents import adr, ask, file, identifiers

SHORTER = 128


class FirstDimensions:
    """The real encoder with its first dimensions only, brought to length 1 again: another real model."""

    name = "all-MiniLM-L6-v2, first dimensions"
    dimensions = SHORTER

    def __init__(self, whole: Embedder) -> None:
        self._whole = whole
        self.longest_passage = whole.longest_passage
        self.piece_offsets = whole.piece_offsets
        self.fingerprint = f"{whole.fingerprint} first {SHORTER}"
        self.failing_after: int | None = None

    async def embed_query(self, text: str) -> Vector:
        vector: Vector = _shortened(np.array([await self._whole.embed_query(text)]))[0]
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if self.failing_after is not None:
            self.failing_after -= 1
            if self.failing_after < 0:
                raise InterruptedError("cut off")
        return _shortened(await self._whole.embed_passages(texts))

    async def close(self) -> None:
        pass


def _shortened(vectors: Vectors) -> Vectors:
    kept = vectors[:, :SHORTER]
    shortened: Vectors = (kept / np.linalg.norm(kept, axis=1, keepdims=True)).astype(np.float32)
    return shortened


@pytest.fixture
def other(embedder: Embedder) -> FirstDimensions:
    return FirstDimensions(embedder)


@pytest.fixture
async def filed(memory: Memory) -> Memory:
    for number in range(1, 21):
        await file(memory, adr(number, f"Record {number}", f"# Part\n\nAbout {number}.\n\n# Rest\n\nMore."))
    await file(memory, adr(21, "Use queues between services", "Messages wait until a worker is free."))
    return memory


async def sizes(owner: asyncpg.Connection) -> list[tuple[int, int, int]]:
    """Return how many vectors there are of how many dimensions, and how many of them have passages."""
    rows = await owner.fetch(
        "SELECT vector_dims(vector) AS dimensions, count(*) AS vectors, count(text) AS passages"
        " FROM embedding LEFT JOIN passage USING (tenant_id, artifact_number, ordinal) GROUP BY 1 ORDER BY 1"
    )
    return [(row["dimensions"], row["vectors"], row["passages"]) for row in rows]


async def test_another_model_is_refused_until_everything_is_embedded_again(
    filed: Memory, other: FirstDimensions, owner: asyncpg.Connection, database_url: str
) -> None:
    changed = memory_on(filed.database, other, filed.caller.tenant)
    ((_, vectors, _),) = await sizes(owner)
    asked_before = await ask(filed, "where do messages wait", first=5)
    with pytest.raises(Conflict, match="trigraph reembed"):
        await file(changed, adr(22, "Late"))
    progress: list[tuple[int, int]] = []
    assert await reembed(database_url, other, lambda done, total: progress.append((done, total))) == 21
    assert progress[0] == (0, 21)
    assert progress[-1] == (21, 21)
    assert await sizes(owner) == [(SHORTER, vectors, vectors)]
    assert await passage_vectors.embedding_model(owner) == model_of(other)
    found = await ask(changed, "where do messages wait", first=5)
    assert identifiers(found)[0] == identifiers(asked_before)[0] == "ADR-21"
    assert found.advisories == ()
    assert (await file(changed, adr(22, "Late"))).created
    with pytest.raises(Conflict, match="trigraph reembed"):
        await file(filed, adr(23, "Later"))


async def test_a_ledger_of_the_same_model_computed_otherwise_is_recognised_and_embedded_again(
    filed: Memory, embedder: Embedder, owner: asyncpg.Connection, database_url: str
) -> None:
    earlier = "all-MiniLM-L6-v2 onnx 0123456789abcdef"
    await owner.execute("UPDATE embedding_model SET fingerprint = $1", earlier)
    message = rf"{earlier}\), and this encoder is .*{embedder.fingerprint}\); run `trigraph reembed`"
    with pytest.raises(Conflict, match=message):
        await check_model(owner, embedder)
    with pytest.raises(Conflict, match=message):
        await file(filed, adr(22, "Late"))
    assert await reembed(database_url, embedder) == 21
    await check_model(owner, embedder)
    assert (await file(filed, adr(22, "Late"))).created


async def test_a_run_that_is_cut_off_leaves_one_model_and_goes_on(
    filed: Memory, other: FirstDimensions, owner: asyncpg.Connection, database_url: str
) -> None:
    other.failing_after = 12
    with pytest.raises(InterruptedError):
        await reembed(database_url, other)
    assert await passage_vectors.embedding_model(owner) == unfinished(model_of(other))
    assert [dimensions for dimensions, _, _ in await sizes(owner)] == [SHORTER]
    other.failing_after = None
    for memory in (filed, memory_on(filed.database, other, filed.caller.tenant)):
        with pytest.raises(Conflict, match="trigraph reembed"):
            await file(memory, adr(22, "Late"))
    assert await reembed(database_url, other) == 21 - 8
    assert await passage_vectors.embedding_model(owner) == model_of(other)


async def test_a_change_of_mind_in_the_middle_starts_over(
    filed: Memory, other: FirstDimensions, owner: asyncpg.Connection, database_url: str, embedder: Embedder
) -> None:
    other.failing_after = 12
    with pytest.raises(InterruptedError):
        await reembed(database_url, other)
    assert await reembed(database_url, embedder) == 21
    assert [dimensions for dimensions, _, _ in await sizes(owner)] == [embedder.dimensions]
    assert identifiers(await ask(filed, "where do messages wait"))[0] == "ADR-21"


async def test_there_is_nothing_to_do_for_the_model_there_is(
    filed: Memory, owner: asyncpg.Connection, database_url: str, embedder: Embedder
) -> None:
    before = await owner.fetch("SELECT * FROM embedding ORDER BY 1, 2, 3, 4")
    assert await reembed(database_url, embedder) == 0
    assert await owner.fetch("SELECT * FROM embedding ORDER BY 1, 2, 3, 4") == before


async def test_two_at_once_are_refused(
    filed: Memory, other: FirstDimensions, owner: asyncpg.Connection, database_url: str
) -> None:
    assert await passage_vectors.lock(owner)
    with pytest.raises(Conflict, match="another process"):
        await reembed(database_url, other)
    assert (await passage_vectors.embedding_model(owner)) != unfinished(model_of(other))


def test_an_unfinished_run_is_no_model_of_any_encoder(other: FirstDimensions) -> None:
    model = model_of(other)
    assert unfinished(model) != model
    assert unfinished(model) != unfinished(replace(model, fingerprint="another"))
