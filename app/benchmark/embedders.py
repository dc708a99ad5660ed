"""Embedders for benchmarks, which wrap another embedder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from hashlib import blake2b
from itertools import islice

import numpy as np

from app.benchmark.corpus import Body
from app.embedding import Embedder, Vector, Vectors


class BorrowedEmbedder:
    """An embedder that delegates to another one, which its owner closes."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.fingerprint = embedder.fingerprint
        self.dimensions = embedder.dimensions
        self.longest_passage = embedder.longest_passage
        self.piece_offsets = embedder.piece_offsets

    async def embed_query(self, text: str) -> Vector:
        """Return the other embedder's result."""
        return await self._embedder.embed_query(text)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return the other embedder's result."""
        return await self._embedder.embed_passages(texts)

    async def close(self) -> None:
        """Do nothing: the owner closes the other embedder."""


REAL = 10_000
"""Of fewer, a hundred thousand texts would be crowds of near twins, in which an index finds its way badly."""

NOISE = 0.3
_NOISE_OF = 8
_SHARES = (0.5, 0.9)


class SyntheticEmbedder(BorrowedEmbedder):
    """The encoder for questions; for passages, mixtures of two real unit vectors with noise.

    Only the text seeds the mixture. The noise varies as real vectors do: uniform noise in hundreds of
    dimensions would put every text equally far from all others.
    """

    def __init__(self, embedder: Embedder, real: Vectors) -> None:
        super().__init__(embedder)
        self._real = real
        self._deviations = real - real.mean(axis=0)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return a mixture for each text, the same for the same text."""
        return np.stack([self._mix(text) for text in texts])

    def _mix(self, text: str) -> Vector:
        seed = blake2b(text.encode(), digest_size=8).digest()
        random = np.random.default_rng(int.from_bytes(seed))
        first, second = self._real[random.integers(len(self._real), size=2)]
        share = random.uniform(*_SHARES)
        varied = self._deviations[random.integers(len(self._real), size=_NOISE_OF)]
        noise = random.normal(size=_NOISE_OF) @ varied
        mixed = share * first + (1 - share) * second + NOISE * noise / np.linalg.norm(noise)
        unit: Vector = (mixed / np.linalg.norm(mixed)).astype(np.float32)
        return unit


async def open_synthetic(embedder: Embedder, stretches: Sequence[Body]) -> SyntheticEmbedder:
    """Embed some stretches, and return an embedder that mixes their vectors."""
    texts = [" ".join(stretch.paragraphs) for stretch in islice(stretches, REAL)]
    made = await asyncio.gather(*(embedder.embed_passages([text]) for text in texts))
    return SyntheticEmbedder(embedder, np.concatenate(made))
