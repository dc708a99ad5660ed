from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from sentence_transformers import SentenceTransformer

from app.embedding import Embedder, Vectors, open_embedder
from app.embedding.sentence_transformer import SentenceTransformerEmbedder, packaged_model
from app.errors import Invalid, Unavailable
from app.settings import Settings

REFERENCE = Path(__file__).parents[1] / "embedding" / "reference"
SETTINGS = Settings(embedder="sentence-transformers", embedding_threads=2)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    read: list[str] = json.loads((REFERENCE / "texts.json").read_text("utf-8"))
    return read


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def published() -> AsyncIterator[Embedder]:
    embedder = open_embedder(SETTINGS)
    yield embedder
    await embedder.close()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def onnx() -> AsyncIterator[Embedder]:
    embedder = open_embedder(Settings(embedder="onnx", embedding_threads=2))
    yield embedder
    await embedder.close()


def cosines(left: Vectors, right: Vectors) -> Any:
    return (left * right).sum(axis=1)


async def test_both_embedders_agree_on_every_text(
    onnx: Embedder, published: Embedder, texts: list[str]
) -> None:
    agreement = cosines(await onnx.embed_passages(texts), await published.embed_passages(texts))
    assert agreement.min() >= 0.99
    assert agreement.mean() >= 0.997


async def test_the_committed_reference_is_what_the_published_weights_give(
    published: Embedder, texts: list[str]
) -> None:
    reference = np.load(REFERENCE / "vectors.npy")
    assert cosines(reference, await published.embed_passages(texts)).min() > 0.9999


async def test_both_find_the_same_word_pieces(onnx: Embedder, published: Embedder, texts: list[str]) -> None:
    for text in texts:
        assert onnx.piece_offsets(text) == published.piece_offsets(text)


async def test_both_say_the_same_of_the_model_but_differ_in_recipe(
    onnx: Embedder, published: Embedder
) -> None:
    assert (published.name, published.dimensions, published.longest_passage) == (
        (onnx.name, onnx.dimensions, onnx.longest_passage)
    )
    assert published.fingerprint != onnx.fingerprint


async def test_a_question_is_the_same_however_it_is_batched(published: Embedder, texts: list[str]) -> None:
    alone = np.array([await published.embed_query(text) for text in texts])
    assert cosines(alone, await published.embed_passages(texts)).min() > 0.9999


async def test_only_the_longest_passage_is_read(published: Embedder) -> None:
    full = "word " * (published.longest_passage - 2)
    whole, longer, shorter = await published.embed_passages([full, full + "quorum", full[: len(full) // 2]])
    assert whole @ longer > 0.9999
    assert whole @ shorter < 0.9999


async def test_odd_texts_have_vectors_like_any_other(published: Embedder) -> None:
    vectors = await published.embed_passages(["", "\ud800", "a" * 3_000_000])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert (await published.embed_passages([])).shape == (0, 384)


async def test_a_closed_embedder_refuses_work_and_says_so() -> None:
    closed = open_embedder(SETTINGS)
    await closed.close()
    with pytest.raises(Unavailable, match="closed"):
        await closed.embed_query("anything")


async def test_another_limit_is_another_fingerprint(published: Embedder) -> None:
    model = SentenceTransformer(str(packaged_model()), local_files_only=True)
    model.max_seq_length = 256
    same = SentenceTransformerEmbedder(model, published.name)
    assert same.fingerprint == published.fingerprint
    model.max_seq_length = 128
    shorter = SentenceTransformerEmbedder(model, published.name)
    assert shorter.fingerprint != published.fingerprint
    assert shorter.longest_passage == 128
    await same.close()
    await shorter.close()


def test_a_folder_without_a_model_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"cannot load the model .*TRIGRAPH_EMBEDDING_MODEL"):
        open_embedder(Settings(embedder="sentence-transformers", embedding_model=str(tmp_path)))
