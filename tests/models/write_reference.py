"""Writes the reference vectors again: .venv-models/bin/python tests/models/write_reference.py."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

from app.embedding.sentence_transformer import packaged_model

REFERENCE = Path(__file__).parents[1] / "embedding" / "reference"


if __name__ == "__main__":
    texts = json.loads((REFERENCE / "texts.json").read_text("utf-8"))
    model = SentenceTransformer(str(packaged_model()), device="cpu", local_files_only=True)
    model.max_seq_length = 256
    vectors = model.encode(texts, batch_size=1, normalize_embeddings=True)
    np.save(REFERENCE / "vectors.npy", np.asarray(vectors, np.float32))
