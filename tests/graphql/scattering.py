"""An embedder that costs nothing, for what is not about meaning."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from app.embedding import Embedder, Vector, Vectors


class ScatteringEmbedder:
    """Reads word pieces as the real encoder does, and gives each text a direction of its own by its hash."""

    name = "scattering"
    fingerprint = "scattering by hash"

    def __init__(self, real: Embedder) -> None:
        self.piece_offsets = real.piece_offsets
        self.longest_passage = real.longest_passage
        self.dimensions = real.dimensions

    async def embed_query(self, text: str) -> Vector:
        return self._scattered(text)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.array([self._scattered(text) for text in texts], np.float32).reshape(-1, self.dimensions)

    async def close(self) -> None:
        """Nothing is open."""

    def _scattered(self, text: str) -> Vector:
        digest = hashlib.shake_256(text.encode()).digest(self.dimensions)
        vector = np.frombuffer(digest, np.uint8).astype(np.float32) - 127.5
        scattered: Vector = vector / np.linalg.norm(vector)
        return scattered
