"""The encoder as another lends it: what a kind of it does otherwise, it says itself."""

from __future__ import annotations

from collections.abc import Sequence

from app.embedding import Embedder, Vector, Vectors


class BorrowedEmbedder:
    """An embedder that answers what another answers, and leaves that one to its owner."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.fingerprint = embedder.fingerprint
        self.dimensions = embedder.dimensions
        self.longest_passage = embedder.longest_passage
        self.piece_offsets = embedder.piece_offsets

    async def embed_query(self, text: str) -> Vector:
        """Answer what the embedder answers."""
        return await self._embedder.embed_query(text)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Answer what the embedder answers."""
        return await self._embedder.embed_passages(texts)

    async def close(self) -> None:
        """Leave the embedder to its owner."""
